import { expect, test } from "vitest";
import { emptyDraft, type FiltreDraft } from "./draft.ts";
import { warningsOf } from "./draft-warnings.ts";

const T_SHIRTS = 221;
const SIZE_M = 4;
const SHOE_39 = 59;

const kindsOf = (changes: Partial<FiltreDraft>) =>
  warningsOf({ ...emptyDraft, ...changes }).map(({ kind }) => kind);

test("the defaults of a new filter warn of nothing", () => {
  expect(warningsOf(emptyDraft)).toEqual([]);
});

test("a limit of 0, or what becomes 0, can never match", () => {
  expect(kindsOf({ limitText: "0" })).toEqual(["never"]);
  expect(kindsOf({ limitText: "dix" })).toEqual(["never"]);
  expect(kindsOf({ limitText: "1" })).toEqual([]);
});

test("what is asked for and excluded at once can never match, whatever its case and accents", () => {
  expect(kindsOf({ wordsText: "été, robe", excludedText: "ETE" })).toEqual(["never"]);
  expect(kindsOf({ wordsText: "made in italy", excludedText: "italy" })).toEqual(["never"]);
  expect(kindsOf({ wordsText: "robes", excludedText: "robe" })).toEqual([]);
  expect(kindsOf({ wordsText: "italy", excludedText: "made in italy" })).toEqual([]);
});

test("sizes that no chosen type has can never match, some of them have no effect", () => {
  expect(kindsOf({ typeIds: [T_SHIRTS], sizeIds: [SHOE_39] })).toEqual(["never"]);
  const [warning] = warningsOf({ ...emptyDraft, typeIds: [T_SHIRTS], sizeIds: [SIZE_M, SHOE_39] });
  expect(warning).toEqual({ kind: "partly", text: "Sans effet pour les types choisis : 39." });
  expect(kindsOf({ typeIds: [T_SHIRTS], sizeIds: [SIZE_M] })).toEqual([]);
  expect(kindsOf({ typeIds: [], sizeIds: [SHOE_39] })).toEqual([]);
});
