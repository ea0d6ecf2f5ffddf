/**
 * Part of `npm run check`: the quoted text of every planted bug and crash point must occur exactly once in
 * its source. A change of quoted source text must also change the quote. A replacement may use only names
 * that exist: otherwise its tests fail because of the unknown name, whatever they check.
 */
import { globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { crashPoints } from "../crash/crash-points.ts";
import { type Mutant, standsOnce } from "./mutant.ts";
import { planted } from "./planted.ts";

const root = join(import.meta.dirname, "..", "..");
const quotes = [
  ...planted.flatMap(({ name, patches }) => patches.map(({ file, find }) => ({ name, file, find }))),
  ...crashPoints.map(({ name, file, before }) => ({ name, file, find: before })),
];
const outdated = quotes.filter(({ file, find }) => !standsOnce(readFileSync(join(root, file), "utf8"), find));
for (const { name, file } of outdated) process.stdout.write(`"${name}" does not stand once in ${file}\n`);
process.stdout.write(`${quotes.length - outdated.length} of ${quotes.length} texts stand once\n`);

/** Words of replacements that belong to the language or to Node, beside properties of the global object. */
const LANGUAGE = ["as", "false", "void", "rejectUnauthorized"];
const wordsOfSources = wordsOf(
  globSync("src/**/*.{ts,tsx}", { cwd: root })
    .map((file) => readFileSync(join(root, file), "utf8"))
    .join("\n"),
);
const unknown = planted.flatMap(({ name, patches }) =>
  patches.flatMap((patch) => unknownWords(patch).map((word) => ({ name, word }))),
);
for (const { name, word } of unknown)
  process.stdout.write(`"${name}" names "${word}", which does not exist\n`);
process.exitCode = outdated.length + unknown.length === 0 ? 0 : 1;

/** Names must occur in the patched file; members after a point and option names anywhere in the sources. */
function unknownWords({ file, find, replace }: Mutant["patches"][number]): readonly string[] {
  if (file.endsWith(".sql")) return [];
  const source = readFileSync(join(root, file), "utf8");
  const known = wordsOf(source);
  const start = source[source.indexOf(find) - 1] === "." ? "." : "";
  const code = `${start}${replace}`.replaceAll(/"[^"\n]*"|'[^'\n]*'|"[^"\n]*$|\/.*\\u.*/gm, "''");
  return [...code.matchAll(/(?<before>[.\w$]?)\b(?<word>[A-Za-z$][\w$]*)(?<after>:?)/g)].flatMap(
    ({ groups }) => {
      const { before, word = "", after } = groups ?? {};
      const isMember = before === "." || after === ":";
      const isKnown = known.has(word) || word in globalThis || LANGUAGE.includes(word);
      return isKnown || (isMember && (wordsOfSources.has(word) || word in Array.prototype)) ? [] : [word];
    },
  );
}

function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.match(/[A-Za-z_$][\w$]*/g));
}
