/** An alert's link must never buy because of a prefetch, twice, for another person, or for a higher price. */
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import type { Person, RawAnswer } from "#verify/testing/person.ts";
import { startWorld, type World } from "#verify/testing/world.ts";
import { figure, sized } from "./figures.ts";

const SOON = { timeout: 240_000, interval: 50 };
const LINKS = 24;
const AT_ONCE = 16;
const GETS = sized(1_000, 10_000);
const REPLAYS = sized(200, 1_000);

let world: World;
let owner: Person;
let other: Person;
/** Of the listings, in the order of the alerts. */
let tokens: readonly string[];
let itemIds: readonly number[];

const subscribed = z.object({
  abonnement: z.object({ endpoint: z.string(), keys: z.object({ p256dh: z.string(), auth: z.string() }) }),
});
const pushed = z.object({ type: z.string(), titre: z.string(), url: z.string() });

beforeAll(async () => {
  world = await startWorld({ env: { RATE_LIMITS: "off" } });
  [owner, other] = [await world.signIn("thunder-lien"), await world.signIn("thunder-voisin")];
  await owner.call("editAlertCentre", { reglages: { max_heure: 120 } });
  const { abonnement } = subscribed.parse(
    await world.sandbox.control("POST", "/push/devices", { nom: "Liens" }),
  );
  await owner.call("addAlertDevice", { abonnement });
  await owner.call("addFilter", { tag: "Liens", mots: ["liens"], limit: 100, alerte_max: 60 });
  const listings = Array.from({ length: LINKS }, (_, n) => ({ title: `Robe liens ${n}`, price: 10 }));
  itemIds = (await world.sandbox.publish(listings)).map(({ id }) => id);
  const articles = async () =>
    (await world.sandbox.receptions("push", "Liens"))
      .map(({ contenu }) => pushed.parse(contenu))
      .filter(({ type }) => type === "article");
  const received = await vi.waitFor(async () => {
    const sofar = await articles();
    if (sofar.length < LINKS) throw new Error(`${sofar.length} of ${LINKS} alerts have arrived`);
    return sofar;
  }, SOON);
  tokens = itemIds.map((_, n) => {
    const alert = received.find(({ titre }) => new RegExp(`liens ${n}\\b`, "u").test(titre));
    return alert?.url.split("#")[1] ?? "";
  });
  if (new Set(tokens).size !== LINKS) throw new Error("an alert has no link");
});
afterAll(async () => {
  await world[Symbol.asyncDispose]();
});

/** Sends requests with limited concurrency. @returns the count of each status */
async function many(count: number, ask: (n: number) => Promise<RawAnswer>): Promise<Map<number, number>> {
  const statuses = new Map<number, number>();
  let next = 0;
  const work = async (): Promise<void> => {
    while (next < count) {
      next += 1;
      const { status } = await ask(next);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return statuses;
}

const tokenOf = (n: number): string => tokens[n % tokens.length] ?? "";
const buy = (person: Person, jeton: string): Promise<RawAnswer> =>
  person.raw("POST", "/alertes/acheter", { jeton });
const payments = async (): Promise<number> =>
  (await world.sandbox.orders()).reduce((sum, order) => sum + order.payments, 0);

test("fetching a link neither buys nor uses it up", async () => {
  const paths = [
    (token: string) => `/alerte?${token}`,
    (token: string) => `/alerte?jeton=${token}`,
    (token: string) => `/alertes/acheter?jeton=${token}`,
    (token: string) => `/alertes/lien?jeton=${token}`,
    (token: string) => `/alertes/${token}`,
  ];
  const statuses = await many(GETS, async (n) => {
    const path = paths[n % paths.length] ?? paths[0];
    return await owner.raw(n % 7 === 0 ? "HEAD" : "GET", path?.(tokenOf(n)) ?? "");
  });
  expect(await payments()).toBe(0);
  const states = await Promise.all(tokens.map((jeton) => owner.call("alertLink", { jeton })));
  expect(states.map(({ lien }) => lien.etat)).toEqual(tokens.map(() => "valide"));
  figure(
    "alert links",
    `${GETS} GETs of ${LINKS} links (${[...statuses.keys()].toSorted((one, other) => one - other).join(", ")}): 0 purchases`,
  );
});

test("a link is refused to another person, and so is an altered one", async () => {
  const foreign = await many(REPLAYS, (n) => buy(other, tokenOf(n)));
  expect([...foreign.keys()]).toEqual([404]);
  const spoilt = await many(REPLAYS, (n) => {
    const token = tokenOf(n);
    const place = n % token.length;
    const sign = token[place] === "A" ? "B" : "A";
    return buy(owner, `${token.slice(0, place)}${sign}${token.slice(place + 1)}`);
  });
  // The last character of a token has two unused bits, but another text is still another token.
  expect([...spoilt.keys()]).toEqual([404]);
  const strange = await many(REPLAYS, (n) => buy(owner, "\u0000%_' or 1=1".repeat((n % 12) + 1)));
  expect([...strange.keys()].filter((status) => status !== 404 && status !== 400)).toEqual([]);
  expect(await payments()).toBe(0);
  figure("alert links", `${REPLAYS} foreign, ${REPLAYS} spoilt, ${REPLAYS} strange tokens: 0 purchases`);
});

test("a listing that became dearer is not bought, and its link answers 'prix_monte'", async () => {
  const dearer = itemIds.slice(0, 4);
  for (const id of dearer) await world.sandbox.changePrice(id, 11);
  for (const n of dearer.keys()) {
    const answer = await buy(owner, tokenOf(n));
    expect([answer.status, answer.body]).toEqual([409, expect.objectContaining({ code: "prix_monte" })]);
  }
  expect(await payments()).toBe(0);
  figure("alert links", `${dearer.length} listings that became dearer: 0 purchases`);
});

test("a link buys once, however often it is sent and however many send it at once", async () => {
  const jeton = tokenOf(LINKS - 1);
  const statuses = await many(REPLAYS, () => buy(owner, jeton));
  expect([statuses.get(200), statuses.get(409)]).toEqual([1, REPLAYS - 1]);
  await expect.poll(payments).toBe(1);
  const made = (await owner.call("purchases")).purch.filter(({ id_transaction }) => id_transaction !== null);
  expect(made).toHaveLength(1);
  figure("alert links", `${REPLAYS} replays of one link: 1 purchase`);
});
