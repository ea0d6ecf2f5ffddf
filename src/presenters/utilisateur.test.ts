import { expect, test } from "vitest";
import { z } from "zod";
import { utilisateur } from "#contract/compte.ts";
import { aUser } from "#verify/testing/a-user.ts";
import { A_MOMENT_MS } from "#verify/testing/fake-clock.ts";
import { presentUtilisateur } from "./utilisateur.ts";

test("presentUtilisateur() shows the level and the plan that count now", () => {
  const ends = { planEndsAtMs: A_MOMENT_MS + 1 };
  const present = (traits: Parameters<typeof aUser>[0]) => {
    const { level, plan, fin } = presentUtilisateur(aUser(traits), A_MOMENT_MS, null);
    return [level, plan, fin];
  };
  expect(present({})).toEqual([2, "thunder", null]);
  expect(present({ plan: "acquire", ...ends })).toEqual([1, "acquire", A_MOMENT_MS + 1]);
  expect(present({ plan: "seeker" })).toEqual([1, "seeker", null]);
  expect(present({ planEndsAtMs: A_MOMENT_MS })).toEqual([0, "none", null]);
  expect(present({ isSuspended: true })).toEqual([0, "none", null]);
});

test("presentUtilisateur() shows the place on the waiting list only without a plan", () => {
  const place = { rank: 3, total: 9 };
  expect(presentUtilisateur(aUser({ plan: "none" }), A_MOMENT_MS, place).waitlist).toEqual(place);
  expect(presentUtilisateur(aUser(), A_MOMENT_MS, place)).not.toHaveProperty("waitlist");
});

test("presentUtilisateur() shows nothing of the keys of a person", () => {
  const shown = presentUtilisateur(
    aUser({ providerId: "provider-77", displayName: "", pictureUrl: "javascript:1" }),
    A_MOMENT_MS,
    null,
  );
  expect(z.strictObject(utilisateur.shape).parse(shown)).toMatchObject({
    name: "thunder-lea",
    picture: null,
  });
  expect(JSON.stringify(shown)).not.toContain("provider-77");
});
