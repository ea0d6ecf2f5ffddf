import { expect, test, vi } from "vitest";
import { aRejeu } from "#verify/testing/on-the-wire.ts";
import { leftOut } from "../../../api/answers.ts";
import { readReplay } from "./replay-query.ts";

test("of each list of a backtest, an item that cannot be read is left out alone, and counted", () => {
  vi.spyOn(console, "warn").mockImplementation(() => undefined);
  const rejeu = aRejeu();
  const { pertes, jours, conditions, exemples, limite } = rejeu;
  const sent = {
    ...rejeu,
    pertes: [...pertes, { code: "inconnu" }],
    jours: [...jours, { jour: "demain" }],
    conditions: [...conditions, null],
    exemples: { moins_chers: [...exemples.moins_chers, 1], plus_chers: "rien" },
    limite: { ...limite, paliers: [...limite.paliers, {}] },
  };
  expect(readReplay({ rejeu: sent })).toEqual({ ...rejeu, exemples: { ...exemples, plus_chers: [] } });
  const lists = [
    "replayLosses",
    "replayDays",
    "replayConditions",
    "cheapest",
    "dearest",
    "replayLimits",
  ] as const;
  expect(lists.map(leftOut.of)).toEqual([1, 1, 1, 1, 1, 1]);
});
