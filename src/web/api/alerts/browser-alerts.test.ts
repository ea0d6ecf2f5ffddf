import { expect, test } from "vitest";
import { NO_ALERTS, parseAlertChoices } from "./browser-alerts.ts";

test("alerts are off until they are asked for, and damaged storage asks for nothing", () => {
  expect(NO_ALERTS).toEqual({ notifications: false, sound: false });
  expect(parseAlertChoices({ notifications: true, sound: "oui" })).toEqual({
    notifications: true,
    sound: false,
  });
  expect([parseAlertChoices(null), parseAlertChoices("oui"), parseAlertChoices(undefined)]).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});
