import { expect, test } from "vitest";
import { sandboxWelcome } from "./sandbox-welcome.ts";

test.each([
  ["seeker", "seeker"],
  ["seeker-2", "seeker"],
  ["acquire7", "acquire"],
  ["thunderbolt", "thunder"],
])("sandboxWelcome() gives %s the plan %s, an account, an address and a relay point", (login, plan) => {
  const welcome = sandboxWelcome(login);
  expect(welcome?.plan).toBe(plan);
  expect(welcome?.settings.refreshToken?.reveal()).toBe(`sandbox-${login}`);
  expect(welcome?.settings).toMatchObject({
    address: { street: "12 rue de la Roquette", city: "Paris", postalCode: 75_011, country: "France" },
    pickupPointNames: ["Relais Colis Bastille"],
  });
});

test.each(["alice", "", "a-seeker", "Seeker", "thunde", "none"])(
  "sandboxWelcome() gives %j nothing",
  (login) => {
    expect(sandboxWelcome(login)).toBeNull();
  },
);
