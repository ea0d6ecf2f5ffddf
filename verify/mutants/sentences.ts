import { bugsIn, type Mutant } from "./mutant.ts";

const SENTENCES = { tests: ["src/catalogue/sentence/read-sentence.test.ts"] };
const FILES = { tests: ["src/http/filtres-fichier.test.ts"] };

/** Bugs in filters from a sentence, a file or a link that do more than requested. */
export const sentences: readonly Mutant[] = [
  ...bugsIn("src/catalogue/sentence/naming.ts", SENTENCES, [
    [
      "sentence: a shade that no filter has is its colour",
      "shades.has(nameKey(shade.folded))",
      'shade.folded === ""',
    ],
  ]),
  ...bugsIn("src/catalogue/sentence/brand-names.ts", SENTENCES, [
    [
      "sentence: every word that is a title is a brand",
      "(!isSaid && wordTitles.has(title))",
      "title === undefined",
    ],
  ]),
  ...bugsIn("src/catalogue/sentence/negations.ts", SENTENCES, [
    [
      "sentence: the second brand of an excluded list is wanted",
      'return kindOfNext === kind && kind !== null && (kind !== "word" || isJoint) ? next : null;',
      "return null;",
    ],
  ]),
  ...bugsIn("src/catalogue/sentence/prices.ts", SENTENCES, [
    ["sentence: about a price is at most a price", "(?:environ|autour", "(?:autour"],
  ]),
  ...bugsIn("src/http/filter-file.ts", FILES, [
    [
      "a file switches its filters on",
      "active: false, autobuy: false, private: true",
      "active: true, autobuy: true, private: true",
    ],
    ["two filters of a file replace one", "=> !taken.has(id)", "=> id !== undefined"],
  ]),
  ...bugsIn(
    "src/web/features/filtres/filter-link.ts",
    { tests: ["src/web/features/filtres/filter-link.test.ts"] },
    [["a link switches autobuy on", "    isPrivate: true,", "    isPrivate: true,\n    autobuy: true,"]],
  ),
];
