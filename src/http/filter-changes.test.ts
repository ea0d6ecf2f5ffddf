import { expect, test } from "vitest";
import type { Changement } from "#contract/filtres/filtre-input.ts";
import { asFilterId, asUserId } from "#domain/ids.ts";
import { aFilter } from "#verify/testing/a-filter.ts";
import { bulkEdited, copiedFilter, decideAutobuy, editedFilter, newFilter } from "./filter-changes.ts";

const identity = { id: asFilterId("new"), userId: asUserId("lea"), nowMs: 9_000 };

test("a filter is active since it was made, or not at all", () => {
  expect(newFilter(aFilter({ isActive: true }), identity)).toMatchObject({
    id: "new",
    userId: "lea",
    createdAtMs: 9_000,
    activatedAtMs: 9_000,
  });
  expect(newFilter(aFilter({ isActive: false }), identity).activatedAtMs).toBeNull();
});

test("an edit of an active filter keeps its activation time, also when it widens the filter", () => {
  const known = aFilter({ createdAtMs: 1, activatedAtMs: 2 });
  const edited = editedFilter(known, aFilter({ isActive: true, priceCapEur: 100_000 }), 9_000);
  expect(edited).toMatchObject({ createdAtMs: 1, activatedAtMs: 2, priceCapEur: 100_000 });
});

test("a filter that is paused and resumed gets a new activation time", () => {
  const known = aFilter({ activatedAtMs: 2 });
  const paused = editedFilter(known, aFilter({ isActive: false }), 8_000);
  expect(paused.activatedAtMs).toBeNull();
  expect(editedFilter(paused, aFilter({ isActive: true }), 9_000).activatedAtMs).toBe(9_000);
});

test("an edit changes neither the id nor the owner", () => {
  const known = aFilter({ id: asFilterId("mine"), userId: asUserId("lea") });
  const edited = editedFilter(known, aFilter({ id: asFilterId("theirs"), userId: asUserId("max") }), 9_000);
  expect(edited).toMatchObject({ id: "mine", userId: "lea" });
});

test("a copy has the criteria, and nothing of how its author buys", () => {
  const theirs = aFilter({ brandIds: [53], tag: "Nike", info: "secret", isAutobuy: true, maxPurchases: 3 });
  const copy = copiedFilter({ id: theirs.id, tag: theirs.tag, criteria: theirs, copies: 0 }, identity);
  expect(copy).toMatchObject({
    id: "new",
    userId: "lea",
    tag: "Nike",
    brandIds: [53],
    info: "",
    isActive: false,
    isAutobuy: false,
    isPrivate: true,
    paymentMethodId: 1,
    maxPurchases: null,
    activatedAtMs: null,
  });
});

const withPlan = { hasPlan: true, nowMs: 9_000 };

test("a bulk edit changes what it names, and nothing else", () => {
  const known = aFilter({
    activatedAtMs: 2,
    priceCapEur: 40,
    priceFloorEur: 20,
    includeWords: [["tech fleece", "techfleece"], ["gris"]],
    excludeWords: [["lot"]],
    isAutobuy: true,
  });
  expect(bulkEdited(known, { limit: 50 }, withPlan)).toEqual({
    kind: "edited",
    filter: { ...known, priceCapEur: 50 },
  });
  const change: Changement = {
    limit_delta: -10,
    mots_ajout: ["Gris", "bleu | bleue"],
    mots_retrait: ["Tech-Fleece|TECHFLEECE", "absent"],
    exclure_ajout: ["taché"],
    exclure_retrait: ["LOT"],
    active: false,
    autobuy: false,
  };
  expect(bulkEdited(known, change, withPlan)).toEqual({
    kind: "edited",
    filter: {
      ...known,
      priceCapEur: 30,
      includeWords: [["gris"], ["bleu", "bleue"]],
      excludeWords: [["tache"]],
      isActive: false,
      isAutobuy: false,
      activatedAtMs: null,
    },
  });
});

test("a bulk edit that would leave a limit or words out of bounds says which field is to blame", () => {
  const known = aFilter({ priceCapEur: 40, priceFloorEur: 20, includeWords: [["gris"]] });
  const blamed = (change: Parameters<typeof bulkEdited>[1]) => {
    const edited = bulkEdited(known, change, withPlan);
    return edited.kind === "refused" ? edited.field : null;
  };
  expect(blamed({ limit_delta: -20 })).toBeNull();
  expect(blamed({ limit_delta: -21 })).toBe("limit_delta");
  expect(blamed({ limit_delta: 100_000 })).toBe("limit_delta");
  expect(blamed({ limit: 19 })).toBe("limit");
  expect(blamed({ mots_ajout: Array.from({ length: 19 }, (_, n) => `mot${n}`) })).toBeNull();
  expect(blamed({ mots_ajout: Array.from({ length: 20 }, (_, n) => `mot${n}`) })).toBe("mots_ajout");
  expect(blamed({ exclure_ajout: ["!"] })).toBe("exclure_ajout");
});

test("a bulk edit without the plan switches automatic buying off, and renews the activation time", () => {
  const known = aFilter({ isAutobuy: true, isActive: false, activatedAtMs: null });
  expect(bulkEdited(known, { active: true }, { hasPlan: false, nowMs: 9_000 })).toMatchObject({
    filter: { isActive: true, activatedAtMs: 9_000, isAutobuy: false },
  });
});

test.each([
  [{ wantsAutobuy: false, hadAutobuy: false, hasPlan: false, hasEnded: false }, "as_sent"],
  [{ wantsAutobuy: false, hadAutobuy: true, hasPlan: false, hasEnded: false }, "as_sent"],
  [{ wantsAutobuy: false, hadAutobuy: false, hasPlan: true, hasEnded: true }, "as_sent"],
  [{ wantsAutobuy: true, hadAutobuy: false, hasPlan: true, hasEnded: false }, "as_sent"],
  [{ wantsAutobuy: true, hadAutobuy: true, hasPlan: true, hasEnded: false }, "as_sent"],
  [{ wantsAutobuy: true, hadAutobuy: false, hasPlan: true, hasEnded: true }, "ended"],
  [{ wantsAutobuy: true, hadAutobuy: false, hasPlan: false, hasEnded: false }, "refused"],
  [{ wantsAutobuy: true, hadAutobuy: true, hasPlan: false, hasEnded: false }, "lapsed"],
] as const)("decideAutobuy(%j) is %s", (wish, verdict) => {
  expect(decideAutobuy(wish)).toBe(verdict);
});
