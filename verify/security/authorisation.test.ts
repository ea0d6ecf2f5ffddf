import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { askProduct } from "#cli/ask-product.ts";
import type { OperatorCommand } from "#contract/operator.ts";
import { DAY_MS } from "#domain/clock.ts";
import { systemClock } from "#server/clock.ts";
import type { Person } from "#verify/testing/person.ts";
import { ShiftedClock } from "#verify/testing/shifted-clock.ts";
import { openTab, type Tab } from "#verify/testing/tab.ts";
import { startWorld, type World } from "#verify/testing/world.ts";
import { figure, sized } from "./figures.ts";

/**
 * Authorisation on the whole product: socket events (src/http/route-matrix.test.ts covers the calls), and
 * access to other people's data.
 */
const CALLERS = {
  anonymous: null,
  forged: null,
  expired: null,
  "logged out": null,
  "level 0": null,
  suspended: null,
  Seeker: "seeker",
  Acquire: "acquire",
  Thunder: "thunder",
  "another person": "thunder",
} as const;
type Caller = keyof typeof CALLERS;
const callers = Object.keys(CALLERS) as Caller[];

const NO_SESSION = "Votre session est terminée : reconnectez-vous.";
const REFUSALS: Partial<Record<Caller, string>> = {
  anonymous: NO_SESSION,
  forged: NO_SESSION,
  expired: NO_SESSION,
  "logged out": NO_SESSION,
  "level 0": "Votre abonnement ne donne pas accès au flux.",
  suspended: "Votre compte est suspendu : contactez le support.",
};

let world: World;
let owner: Person;
const clock = new ShiftedClock(systemClock);
const cookies = new Map<Caller, string>();
let cellCount = 0;

beforeAll(async () => {
  world = await startWorld({ clock, env: { RATE_LIMITS: "off" } });
  const expired = await world.signIn("thunder-expired");
  cookies.set("expired", expired.cookie);
  clock.skip(DAY_MS + 60_000);
  owner = await world.signIn("thunder-owner");
  await owner.call("addFilter", { tag: "À moi", mots: ["aubergine"], private: true });
  cookies.set("anonymous", "");
  cookies.set("forged", `__Host-sid=${"f".repeat(43)}`);
  cookies.set("logged out", await cookieAfter("thunder-gone", (person) => person.raw("GET", "/auth/out")));
  cookies.set("level 0", (await world.signIn("personne")).cookie);
  await world.signIn("thunder-suspended");
  await operator("suspend", { name: "thunder-suspended" });
  cookies.set("suspended", (await world.signIn("thunder-suspended")).cookie);
  for (const [caller, plan] of Object.entries(CALLERS))
    if (plan !== null) {
      const { cookie } = await world.signIn(`${plan}-${caller.toLowerCase().replaceAll(" ", "-")}`);
      cookies.set(caller as Caller, cookie);
    }
});
afterAll(async () => {
  figure(
    "authorisation",
    `${cellCount} cells of the socket x ${callers.length} kinds of caller: 0 let in that should not be`,
  );
  await world[Symbol.asyncDispose]();
});

async function cookieAfter(name: string, act: (person: Person) => Promise<unknown>): Promise<string> {
  const person = await world.signIn(name);
  const { cookie } = person;
  await act(person);
  return cookie;
}

async function operator(command: OperatorCommand, input: Readonly<Record<string, unknown>>): Promise<void> {
  const answer = await askProduct({ command, input }, world.dataDir);
  if (!answer.ok) throw new Error(answer.error);
}

function cookieOf(caller: Caller): string {
  const cookie = cookies.get(caller);
  if (cookie === undefined) throw new Error(`${caller} did not arrive`);
  return cookie;
}

const transports = ["websocket", "polling"] as const;

describe("the socket", () => {
  test.each(transports.flatMap((transport) => callers.map((caller) => [transport, caller] as const)))(
    "over %s, opened by %s",
    async (transport, caller) => {
      cellCount += 1;
      const tab = openTab(world.url, cookieOf(caller), { transports: [transport] });
      const refusal = REFUSALS[caller];
      await expect.poll(() => tab.life.length).toBeGreaterThan(0);
      expect(tab.life[0]).toBe(refusal === undefined ? "connect" : `connect_error: ${refusal}`);
      tab.close();
    },
  );

  test.each(callers)("flux_handler, asked by %s, sends only their own listings", async (caller) => {
    cellCount += 1;
    await world.sandbox.publish({ title: "Une aubergine", price: 5 });
    const mine = openTab(world.url, owner.cookie);
    await expect.poll(() => mine.items.length).toBeGreaterThan(0);
    const tab = openTab(world.url, cookieOf(caller));
    await expect.poll(() => tab.life.length).toBeGreaterThan(0);
    tab.socket.emit("flux_handler");
    if (REFUSALS[caller] === undefined) await expect.poll(() => tab.flux.length).toBeGreaterThan(0);
    expect(tab.items).toEqual([]);
    mine.close();
    tab.close();
  });

  test.each(callers)("the connection of somebody else, named by its sid, asked by %s", async (caller) => {
    cellCount += 1;
    const opened = await fetch(`${world.url}/socket.io/?EIO=4&transport=polling`, {
      headers: { cookie: owner.cookie },
    });
    const [, sid = ""] = /"sid":"([^"]+)"/.exec(await opened.text()) ?? [];
    expect(sid).not.toBe("");
    for (const method of ["GET", "POST"]) {
      const answer = await fetch(`${world.url}/socket.io/?EIO=4&transport=polling&sid=${sid}`, {
        method,
        headers: { cookie: cookieOf(caller) },
        ...(method === "POST" ? { body: "40" } : {}),
      });
      expect([method, answer.status]).toEqual([method, 403]);
    }
  });

  test.each(callers)("an undeclared event, sent by %s, is not answered", async (caller) => {
    cellCount += 1;
    const tab = openTab(world.url, cookieOf(caller));
    await expect.poll(() => tab.life.length).toBeGreaterThan(0);
    const received: unknown[] = [];
    tab.socket.onAny((...event: unknown[]) => received.push(event));
    for (const name of ["purchaseData", "admin", "grant", "constructor", "__proto__"])
      tab.socket.emit(name as "flux_handler");
    // Events are answered in order: any effect of the earlier ones has arrived by this answer.
    tab.socket.emit("flux_handler");
    if (REFUSALS[caller] === undefined) await expect.poll(() => tab.flux.length).toBeGreaterThan(0);
    expect(received.filter((event) => (event as unknown[])[0] !== "flux_handler")).toEqual([]);
    tab.close();
  });
});

describe("an open socket ends", () => {
  const revocations: readonly (readonly [string, (person: Person) => Promise<unknown>])[] = [
    ["logged out", (person) => person.raw("GET", "/auth/out")],
    ["without a plan", (person) => operator("revoke", { name: person.name })],
    ["suspended", (person) => operator("suspend", { name: person.name })],
    ["erased", (person) => operator("erase", { name: person.name })],
  ];

  test.each(revocations)("once its person is %s", async (_kind, revoke) => {
    cellCount += 1;
    const person = await world.signIn(`thunder-loses-${cellCount}`);
    const tab = openTab(world.url, person.cookie);
    await expect.poll(() => tab.life).toEqual(["connect"]);
    await revoke(person);
    await expect.poll(() => tab.life).toEqual(["connect", "disconnect: io server disconnect"]);
  });

  test("once its session has expired, at the next event", async () => {
    cellCount += 1;
    const person = await world.signIn("thunder-idle");
    const tab: Tab = openTab(world.url, person.cookie);
    tab.socket.emit("flux_handler");
    await expect.poll(() => tab.flux.length).toBeGreaterThan(0);
    const eventCount = tab.flux.length;
    clock.skip(DAY_MS + 60_000);
    tab.socket.emit("flux_handler");
    await expect.poll(() => tab.life).toEqual(["connect", "disconnect: io server disconnect"]);
    expect(tab.flux.length).toBe(eventCount);
  });
});

const refused = z.object({ error: z.string() });

test("another person's data can be neither read, changed nor distinguished from data that does not exist", async () => {
  const peopleCount = sized(8, 101);
  const people: Person[] = [];
  const filterIds: string[] = [];
  for (let index = 0; index < peopleCount; index += 1) {
    const person = await world.signIn(`thunder-paire-${index}`);
    const added = await person.call("addFilter", { tag: `Filtre ${index}`, info: "secret", private: true });
    people.push(person);
    filterIds.push(added.filtre._id);
  }
  let pairCount = 0;
  for (const [one, person] of people.entries()) {
    for (const [other, filterId] of filterIds.entries()) {
      if (one === other) continue;
      pairCount += 1;
      for (const [path, body] of [
        ["/filtres/edit", { _id: filterId, tag: "pris" }],
        ["/filtres/delete", { IDs: [filterIds[one], filterId] }],
        ["/filtres/copy", { _id: filterId }],
      ] as const) {
        const foreign = await person.raw("POST", path, body);
        const absent = await person.raw(
          "POST",
          path,
          JSON.parse(JSON.stringify(body).replace(filterId, "x")),
        );
        expect([path, foreign.status]).toEqual([path, 404]);
        expect(refused.parse(foreign.body)).toEqual(refused.parse(absent.body));
      }
    }
    const { filtres } = await person.call("filters");
    expect(filtres.map(({ _id, tag, info }) => [_id, tag, info])).toEqual([
      [filterIds[one], `Filtre ${one}`, "secret"],
    ]);
    expect((await person.call("publicFilters")).filtres).toEqual([]);
  }
  figure(
    "authorisation",
    `${pairCount} pairs of people x 3 calls: 0 disclosed or changed anything of the other's`,
  );
});
