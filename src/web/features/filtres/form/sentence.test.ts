import { expect, test } from "vitest";
import { emptyDraft, problemsOf } from "./draft.ts";
import { changesOf, sentenceProblem, withTitleWord } from "./sentence.ts";

const named = (ids: number[]) => ({ ids, names: ids.map(String) });

test("a sentence changes only what it names", () => {
  const filtre = { types: named([10]), color: "Black", limit: 20, mots: ["tech fleece | techfleece"] };
  const draft = { ...emptyDraft, tag: "Mon tag", sizeIds: [4], autobuy: true };
  expect(changesOf({ filtre, compris: [], reste: [] }, "robe noire", draft)).toEqual({
    typeIds: [10],
    color: "Black",
    limitText: "20",
    wordsText: "tech fleece | techfleece",
  });
});

test("an empty tag takes the sentence, cut between words", () => {
  const tagOf = (sentence: string) =>
    changesOf({ filtre: {}, compris: [], reste: [] }, sentence, emptyDraft).tag;
  expect(tagOf("  robe   noire ")).toBe("robe noire");
  const long = tagOf(
    "je cherche une robe noire longue et fleurie pour le mariage de ma sœur cet été à Bordeaux",
  );
  expect(long).toBe("je cherche une robe noire longue et fleurie pour le mariage de ma sœur cet été à");
  expect(tagOf("x".repeat(200))).toHaveLength(80);
  expect(tagOf(`${"x".repeat(79)}🧥 noire`)).toBe("x".repeat(79));
  expect(problemsOf({ ...emptyDraft, tag: long ?? "" })).toEqual({});
});

test("what was not read can be looked for in the title, once", () => {
  expect(withTitleWord("", "fleurie")).toBe("fleurie");
  expect(withTitleWord("lin, fleurie", "fleurie")).toBe("lin, fleurie");
  expect(withTitleWord("lin | coton", "air max 90")).toBe("lin | coton, air max 90");
  expect(withTitleWord("", "0,50 €")).toBe("0 50 €");
});

test("a text above 300 characters is no sentence", () => {
  expect(sentenceProblem("x".repeat(300))).toBeUndefined();
  expect(sentenceProblem("x".repeat(301))).toContain("300");
});
