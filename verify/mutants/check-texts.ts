/**
 * Part of `npm run check`: every planted bug and every crash point is found in its source by exact text, which must stand
 * there exactly once. A change of the source that a planted bug quotes changes the bug too.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { crashPoints } from "../crash/crash-points.ts";
import { standsOnce } from "./mutant.ts";
import { planted } from "./planted.ts";

const root = join(import.meta.dirname, "..", "..");
const quotes = [
  ...planted.flatMap(({ name, patches }) => patches.map(({ file, find }) => ({ name, file, find }))),
  ...crashPoints.map(({ name, file, before }) => ({ name, file, find: before })),
];
const outdated = quotes.filter(({ file, find }) => !standsOnce(readFileSync(join(root, file), "utf8"), find));
for (const { name, file } of outdated) process.stdout.write(`"${name}" does not stand once in ${file}\n`);
process.stdout.write(`${quotes.length - outdated.length} of ${quotes.length} texts stand once\n`);
process.exitCode = outdated.length === 0 ? 0 : 1;
