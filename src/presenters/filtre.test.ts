import * as fc from "fast-check";
import { expect, test } from "vitest";
import { z } from "zod";
import { knownBrands } from "#catalogue/brand-titles.ts";
import { allCategories } from "#catalogue/categories.ts";
import { colours } from "#catalogue/colours.ts";
import { conditions } from "#catalogue/conditions.ts";
import { sizeGroups } from "#catalogue/sizes.ts";
import { type FiltreInput, filtreInput } from "#contract/filtres/filtre-input.ts";
import { filtre, filtrePublic } from "#contract/filtres/filtre.ts";
import { NO_RULES } from "#domain/buying-rules.ts";
import { asFilterId, asUserId } from "#domain/ids.ts";
import { ANY_SELLER } from "#domain/market/seller.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { presentFiltre, presentFiltrePublic, readFiltre } from "./filtre.ts";
import { presentPhrase } from "./phrase.ts";

const sizeIds = sizeGroups.flatMap(({ size_ids }) => size_ids);

function read(input: Partial<FiltreInput>) {
  return readFiltre(filtreInput.parse({ tag: "Robes", ...input }));
}

test("a filter with only a tag has the specification's defaults", () => {
  expect(read({})).toEqual({
    kind: "read",
    choices: {
      tag: "Robes",
      info: "",
      isActive: true,
      isAutobuy: false,
      isPrivate: false,
      categoryIds: [],
      brandIds: [],
      sizeIds: [],
      conditionIds: [],
      colourName: null,
      priceCapEur: 100,
      priceFloorEur: 0,
      bargainPercent: null,
      includeWords: [],
      excludeWords: [],
      paymentMethodId: 1,
      maxPurchases: null,
      isSimulation: false,
      seller: ANY_SELLER,
      ignoresRelists: false,
      rules: NO_RULES,
    },
  });
});

const someOf = (ids: readonly number[]) =>
  fc.uniqueArray(fc.constantFrom(...ids), { maxLength: 20 }).map((chosen) => ({ ids: chosen }));

test("reading and presenting a filter returns what was sent, with the catalogue's names", () => {
  fc.assert(
    fc.property(
      fc.record({
        types: someOf(allCategories.map(({ id }) => id)),
        brands: someOf(knownBrands.map(({ id }) => id)),
        sizes: someOf(sizeIds),
        status: someOf(conditions.map(({ id }) => id)),
        color: fc.constantFrom("", ...colours.map(({ name }) => name)),
        limit: fc.integer({ min: 0, max: 100_000 }),
        autobuy: fc.boolean(),
        active: fc.boolean(),
        max_achats: fc.option(fc.integer({ min: 1, max: 1_000 })),
      }),
      (sent) => {
        const result = read(sent);
        if (result.kind !== "read") throw new Error(`refused: ${result.kind}`);
        const shown = presentFiltre({
          ...aFilter({ id: asFilterId("f"), userId: asUserId("u") }),
          ...result.choices,
        });
        expect(z.strictObject(filtre.shape).parse(shown)).toMatchObject({
          ...sent,
          types: { ids: sent.types.ids },
          _id: "f",
        });
        for (const field of ["types", "brands", "sizes", "status"] as const) {
          expect(shown[field].names).toHaveLength(sent[field].ids.length);
          expect(shown[field].names.every((name) => name !== "")).toBe(true);
        }
      },
    ),
    { numRuns: 50 },
  );
});

test("presentFiltre() names what the catalogue calls them", () => {
  const [leaf] = allCategories.filter(({ label }) => label === "Robes");
  const [brand] = knownBrands;
  const shown = presentFiltre(
    aFilter({
      categoryIds: [leaf?.id ?? 0],
      brandIds: [brand?.id ?? 0],
      conditionIds: [6, 4],
      colourName: "Bred",
    }),
  );
  expect(shown.types.names).toEqual(["Robes"]);
  expect(shown.brands.names).toEqual([brand?.title]);
  expect(shown.status.names).toEqual(["Neuf avec étiquette", "Satisfaisant"]);
  expect(shown.color).toBe("Bred");
});

test("presentFiltre() keeps names and ids in step when the catalogue lost an id", () => {
  expect(presentFiltre(aFilter({ brandIds: [999_999_999] })).brands).toEqual({
    ids: [999_999_999],
    names: ["999999999"],
  });
});

test.each(["types", "brands", "sizes", "status"] as const)(
  "readFiltre() refuses an unknown id in %s",
  (field) => {
    expect(read({ [field]: { ids: [987_654_321] } })).toEqual({ kind: "unknown_id", field, id: 987_654_321 });
  },
);

test("readFiltre() refuses a colour that is no name of the specification", () => {
  for (const color of ["Noir", "black", "toString", " "])
    expect(read({ color })).toEqual({ kind: "unknown_colour", name: color });
});

test("readFiltre() folds words and refuses those without letters or digits", () => {
  const result = read({ mots: ["Été", "ETE", "œuf"], exclure: ["Réplique"] });
  expect(result).toMatchObject({
    kind: "read",
    choices: { includeWords: [["ete"], ["oeuf"]], excludeWords: [["replique"]] },
  });
  expect(read({ mots: ["ok", "!!"] })).toEqual({ kind: "empty_word", field: "mots", word: "!!" });
  expect(read({ exclure: ["-"] })).toEqual({ kind: "empty_word", field: "exclure", word: "-" });
});

test("alternatives of a word stand between |, quotes around a phrase are dropped, and both come back as they are read", () => {
  const sent = {
    mots: ['"Tech Fleece" | techfleece|TECHFLEECE', "Gris | grise", "gris|GRISE"],
    limit_min: 20,
  };
  const result = read({ ...sent, exclure: ["lot|lots"] });
  expect(result).toMatchObject({
    choices: {
      includeWords: [
        ["tech fleece", "techfleece"],
        ["gris", "grise"],
      ],
      excludeWords: [["lot", "lots"]],
      priceFloorEur: 20,
    },
  });
  if (result.kind !== "read") return;
  const answered = presentFiltre(aFilter(result.choices));
  expect(answered).toMatchObject({
    mots: ["tech fleece | techfleece", "gris | grise"],
    exclure: ["lot | lots"],
    limit_min: 20,
  });
  const { mots, exclure, limit_min } = answered;
  expect(read({ mots, exclure, limit_min })).toEqual(result);
});

test("readFiltre() refuses alternatives that are too long, empty or too many, and a floor above the cap", () => {
  const many = (count: number, name = "a") => Array.from({ length: count }, (_, n) => `${name}${n}`);
  const longest = "x".repeat(40);
  expect(read({ mots: [Array(10).fill(longest).join(" | ")] }).kind).toBe("read");
  expect(read({ mots: [`ok | ${longest}x`] })).toMatchObject({ kind: "long_word", word: `${longest}x` });
  expect(read({ exclure: ["ok || bien"] })).toEqual({ kind: "empty_word", field: "exclure", word: "" });
  expect(read({ mots: [many(10).join("|")] }).kind).toBe("read");
  expect(read({ mots: [many(11).join("|")] })).toEqual({ kind: "many_alternatives", field: "mots" });
  const sixty = ["a", "b", "c", "d", "e", "f"].map((name) => many(10, name).join("|"));
  expect(read({ mots: sixty }).kind).toBe("read");
  expect(read({ mots: [...sixty, "g"] })).toEqual({ kind: "many_words", field: "mots" });
  expect(read({ limit: 20, limit_min: 20 }).kind).toBe("read");
  expect(read({ limit: 20, limit_min: 21 })).toEqual({ kind: "floor_above_cap" });
});

/** Folding expands œ, æ and ß, and splits a Korean syllable into letters. */
const anyWord = fc
  .array(fc.constantFrom("œ", "Æ", "ß", "한", "é", "x", "7", " ", "'", "İ", "ﬁ", "😀"), {
    maxLength: 45,
    size: "max",
  })
  .map((letters) => letters.join(""));

test("words are answered in a form that can be sent back", () => {
  expect(read({ mots: [`${"x".repeat(38)}œ`] }).kind).toBe("read");
  expect(read({ mots: [`${"x".repeat(39)}œ`] }).kind).toBe("long_word");
  fc.assert(
    fc.property(fc.array(anyWord, { minLength: 1, maxLength: 3 }), (words) => {
      const member = words.join("|").trim();
      fc.pre(member !== "");
      const result = read({ mots: [member] });
      fc.pre(result.kind === "read");
      const { mots } = presentFiltre(aFilter(result.choices));
      expect(read({ mots })).toEqual(result);
    }),
  );
});

test("words of a sentence can be added as they are proposed", () => {
  fc.assert(
    fc.property(anyWord, fc.boolean(), (word, isExcluded) => {
      const { mots = [], exclure = [] } = presentPhrase(`robe ${isExcluded ? "sauf " : ""}"${word}"`).filtre;
      expect(read({ mots, exclure }).kind).toBe("read");
    }),
  );
});

test("a filter keeps longer words that were saved before, and takes no others", () => {
  const saved = `${"x".repeat(39)}oe`;
  const known = aFilter({ includeWords: [[saved]] });
  const sent = (mots: string[]) => readFiltre(filtreInput.parse({ tag: "Robes", mots }), known);
  expect(sent([saved, "lot"])).toMatchObject({ choices: { includeWords: [[saved], ["lot"]] } });
  expect(sent([`${saved}s`])).toMatchObject({ kind: "long_word" });
});

test("readFiltre() takes each id once", () => {
  expect(read({ status: { ids: [6, 1, 6] } })).toMatchObject({ choices: { conditionIds: [6, 1] } });
});

test("presentFiltrePublic() reveals no owner, notes, payment or flags", () => {
  const secret = aFilter({ tag: "Vestes", info: "pour maman", userId: asUserId("owner-7"), isAutobuy: true });
  const shown = presentFiltrePublic({ id: secret.id, tag: secret.tag, criteria: secret, copies: 3 });
  expect(Object.keys(shown).toSorted()).toEqual([
    "_id",
    "bon_prix",
    "brands",
    "color",
    "copies",
    "limit",
    "sizes",
    "status",
    "tag",
    "types",
  ]);
  expect(z.strictObject(filtrePublic.shape).parse(shown)).toEqual(shown);
  expect(JSON.stringify(shown)).not.toMatch(/maman|owner-7/);
});
