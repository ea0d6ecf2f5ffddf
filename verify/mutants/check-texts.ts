/**
 * Part of `npm run check`: the quoted text of every planted bug and crash point must occur exactly once in
 * its source. A change of quoted source text must also change the quote.
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
