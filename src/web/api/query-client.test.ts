import { QueryObserver } from "@tanstack/react-query";
import { expect, test } from "vitest";
import type { Utilisateur } from "#contract/compte.ts";
import { createQueryClient } from "./query-client.ts";
import { userQuery } from "./session.ts";

const person = {
  level: 1,
  picture: null,
  name: "Léa",
  email: "lea@example.test",
  plan: "seeker",
  fin: null,
} as const;

const other: Utilisateur = { ...person, email: "paul@example.test" };

test("after a sign-out no personal data is fetched again, and none is kept once the panel is unmounted", () => {
  const client = createQueryClient();
  client.setQueryData(userQuery.queryKey, person);
  let fetches = 0;
  const options = {
    queryKey: ["filters"],
    queryFn: () => {
      fetches += 1;
      return Promise.resolve(["Robes"]);
    },
    staleTime: Infinity,
    initialData: ["Robes"],
  };
  const leavePanel = new QueryObserver(client, options).subscribe(() => {});
  client.setQueryData(["purchases"], ["a purchase that no screen shows"]);

  client.setQueryData(userQuery.queryKey, null);
  expect(client.getQueryData(["purchases"])).toBeUndefined();
  expect(client.getQueryData(["filters"])).toEqual(["Robes"]);
  leavePanel();
  expect(client.getQueryData(["filters"])).toBeUndefined();
  expect(fetches).toBe(0);
});

const unverified: Utilisateur = { ...person, email: "" };

test.each([
  ["by their addresses", person, other],
  ["by their names if neither address is verified", unverified, { ...unverified, name: "Paul" }],
])("another person's sign-in, told %s, removes everything personal immediately", (_how, first, second) => {
  const client = createQueryClient();
  client.setQueryData(userQuery.queryKey, first);
  client.setQueryData(["purchases"], ["of the first person"]);
  client.setQueryData(userQuery.queryKey, second);
  expect(client.getQueryData(["purchases"])).toBeUndefined();
});
