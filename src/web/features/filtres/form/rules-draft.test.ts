import { expect, test } from "vitest";
import { aFiltre } from "#verify/testing/on-the-wire.ts";
import { HALF_TYPED_TIME, halfTypedProblem } from "../../../ui/pickers/time-text.ts";
import { emptyRules, reglesOf, rulesDraftOf, rulesProblemsOf, rulesSummary } from "./rules-draft.ts";

const { regles: none } = aFiltre();
const all = {
  budget_jour: 60,
  budget_total: 1_250,
  heures: { de: "08:00", a: "22:30" },
  jours: [1, 2, 3],
  pause: 90,
  vendeur_jour: 2,
  echecs: 3,
};

test("rules that nobody touches are sent as they were", () => {
  expect(reglesOf(emptyRules)).toEqual(none);
  for (const regles of [none, all]) expect(reglesOf(rulesDraftOf(regles))).toEqual(regles);
});

test("rules are said in one line", () => {
  const say = (text: string) => text.replaceAll(/[\u00A0\u202F]/gu, " ");
  expect(rulesSummary(none)).toBe("aucune");
  const example = {
    ...none,
    budget_jour: 60,
    heures: { de: "08:00", a: "23:00" },
    jours: [1, 2, 3, 4, 5, 6],
  };
  expect(say(rulesSummary(example))).toBe("60 € par jour, 8 h – 23 h, lun. – sam.");
  expect(say(rulesSummary(all))).toBe(
    "60 € par jour, 1 250 € en tout, 8 h – 22 h 30, lun. – mer., pause de 90 min, 2 par vendeur et par jour, arrêt après 3 échecs",
  );
  expect(rulesSummary({ ...none, jours: [7, 1] })).toBe("lun., dim.");
  expect(rulesSummary({ ...none, jours: [6, 7] })).toBe("sam., dim.");
  expect(rulesSummary({ ...none, jours: [1, 2, 3, 4, 5, 6, 7], echecs: 1 })).toBe("arrêt après 1 échec");
});

test("a rule that cannot be is named at its field", () => {
  expect(rulesProblemsOf(emptyRules)).toEqual({});
  expect(rulesProblemsOf(rulesDraftOf(all))).toEqual({});
  const bad = {
    ...emptyRules,
    dayBudgetText: "0",
    totalBudgetText: "beaucoup",
    pauseText: "1,5",
    sellerCountText: "101",
    failuresText: "0",
  };
  expect(Object.keys(rulesProblemsOf(bad)).toSorted()).toEqual([
    "dayBudgetText",
    "failuresText",
    "pauseText",
    "sellerCountText",
    "totalBudgetText",
  ]);
  expect(rulesProblemsOf({ ...emptyRules, fromTime: "08:00" })).toHaveProperty("toTime");
  const halfTyped = { ...emptyRules, fromTime: HALF_TYPED_TIME, toTime: HALF_TYPED_TIME };
  expect(rulesProblemsOf(halfTyped)).toEqual({
    fromTime: "Indiquez les heures et les minutes.",
    toTime: "Indiquez les heures et les minutes.",
  });
  expect(rulesProblemsOf({ ...halfTyped, toTime: "" })).toHaveProperty("fromTime", halfTypedProblem);
  expect(rulesProblemsOf({ ...halfTyped, toTime: "20:00" })).toEqual({ fromTime: halfTypedProblem });
  expect(rulesProblemsOf({ ...emptyRules, toTime: "08:00" })).toHaveProperty("fromTime");
  expect(rulesProblemsOf({ ...emptyRules, fromTime: "08:00", toTime: "08:00" })).toHaveProperty("toTime");
});
