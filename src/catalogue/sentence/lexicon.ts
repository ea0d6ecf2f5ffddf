/** Buyers' words for types, brands, colours and conditions, from data/sentence-lexicon.json. */
import { colourByName, type ColourName } from "../colours.ts";
import rows from "../data/sentence-lexicon.json" with { type: "json" };
import { foldText } from "../fold-text.ts";
import { numberIn, textIn } from "../row-cells.ts";
import { accentedKey, nameKey } from "./words.ts";

/** Nodes of the category tree by the key of a synonym. */
export const typeSynonyms: ReadonlyMap<string, readonly number[]> = byName(rows.types);

/** The nodes of words such as "femme" and "garçon". */
export const branchesByName: ReadonlyMap<string, readonly number[]> = byName(rows.branches);

/** Labels of the tree that mean something else, or nothing, in a sentence. */
export const labelsUnread: ReadonlySet<string> = new Set(rows.notTypes.map(nameKey));

/** Types that also name fabrics, as in 'en jean'. */
export const fabrics: ReadonlySet<string> = new Set(rows.fabrics.map(nameKey));

export const conditionsByName: ReadonlyMap<string, readonly number[]> = byName(rows.conditions);

export const coloursByName: ReadonlyMap<string, ColourName> = new Map(
  rows.colours.flatMap((row) => {
    const [name = "", ...synonyms] = row;
    const colour = colourByName(name);
    if (colour === undefined) throw new TypeError(`no colour ${name}`);
    return synonyms.map((synonym) => [nameKey(synonym), colour.name] as const);
  }),
);

/** Words that change the colour before them: 'bleu ciel' is not 'bleu'. */
export const shades: ReadonlySet<string> = new Set(rows.shades.map(nameKey));

/** Names without a field, whose words must not be read separately. */
export const unreadNames: ReadonlySet<string> = new Set(rows.unread.map(nameKey));

/** Words without a meaning for filters. */
export const skippedWords: ReadonlySet<string> = new Set(rows.skipped.map(foldText));

/** Names that mean something else without accents: 'ciré', not 'cire'. */
export const accentedNames: ReadonlySet<string> = new Set(rows.accented.map(nameKey));

/** The `accentedKey` of every name of the lexicon. */
export const writtenNames: ReadonlySet<string> = new Set(
  [rows.types, rows.branches, rows.conditions, rows.colours]
    .flatMap((named) => named.flatMap((row) => row.filter((cell) => typeof cell === "string")))
    .concat(rows.unread)
    .map(accentedKey),
);

/** Words that equal a brand's key but are no brand: 'claires' is not Claire's. */
export const notBrands: ReadonlySet<string> = new Set(rows.notBrands);

/** Brand titles with buyers' other names for them. */
export const brandAliases: readonly (readonly [title: string, aliases: readonly string[]])[] =
  rows.brands.map(([title = "", ...aliases]) => [title, aliases]);

/** Brand titles that are ordinary words or numbers: they count as brands only after 'marque'. */
export const wordTitles: ReadonlySet<string> = new Set(rows.wordTitles.map(foldText));

type LexiconRow = readonly (string | readonly number[])[];

/** Indexes rows of ids and names by the keys of the names. */
function byName(lexiconRows: readonly LexiconRow[]): ReadonlyMap<string, readonly number[]> {
  const found = new Map<string, readonly number[]>();
  for (const [ids, ...names] of lexiconRows) {
    if (ids === undefined || typeof ids === "string") throw new TypeError("a row without ids");
    const checked = ids.map((_, column) => numberIn(ids, column));
    for (const [column] of names.entries()) {
      const name = textIn(
        names.filter((one) => typeof one === "string"),
        column,
      );
      const key = nameKey(name);
      found.set(key, [...new Set([...(found.get(key) ?? []), ...checked])]);
    }
  }
  return found;
}
