import * as fc from "fast-check";
import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { errorAnswer } from "#contract/envelope.ts";
import { parametresInput } from "#contract/parametres-input.ts";
import { parametres, type Parametres } from "#contract/parametres.ts";
import { startHttpWorld, type HttpWorld, type Person } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const TOKEN = "a-refresh-token-of-the-marketplace-WXYZ";
const MASK = "••••••••WXYZ";
const shown = z.strictObject({ vinted: z.strictObject(parametres.shape) });

/** A person with empty settings: the persona's account is removed. */
async function newcomer(): Promise<Person> {
  const person = await world.signIn("seeker");
  await save(person, { token: null, relais: [] });
  return person;
}

async function settingsOf(person: Person): Promise<Parametres> {
  return shown.parse((await person.get("/vinted/get")).body).vinted;
}

async function save(person: Person, change: unknown): Promise<number> {
  // The rate of saving: one every six seconds in the long run.
  await world.clock.advance(6_000);
  return (await person.post("/vinted/edit", change)).status;
}

async function savedToken(person: Person): Promise<string | null> {
  return (await world.store.settings.refreshToken(person.user.id))?.reveal() ?? null;
}

test("'Tout arrêter' is not refused because of other changes, and has a rate of its own", async () => {
  const person = await newcomer();
  const statuses = async (change: unknown): Promise<ReadonlySet<number>> => {
    const answers = new Set<number>();
    for (let n = 0; n < 11; n += 1) answers.add((await person.post("/vinted/edit", change)).status);
    return answers;
  };
  expect(await statuses({ relais: [] })).toEqual(new Set([200, 429]));
  const stop = { limites: { arret: true } };
  expect((await person.post("/vinted/edit", stop)).status).toBe(200);
  expect((await settingsOf(person)).limites.arret).toBe(true);
  expect(await statuses(stop)).toEqual(new Set([200, 429]));
  expect((await person.post("/vinted/edit", { limites: { arret: false } })).status).toBe(429);
});

test("settings are saved whole, and answered with the token masked", async () => {
  const person = await newcomer();
  const adresse = { rue: "1 rue de la Paix", ville: "Bruxelles", code_postal: 1_000, pays: "Belgique" };
  const answer = await person.post("/vinted/edit", {
    token: ` ${TOKEN}\n`,
    paiement: 11,
    adresse,
    relais: ["Tabac de la Gare", "Relais Colis Bastille"],
    limites: { jour: 0, mois: 500, achats_jour: 1, arret: true },
  });
  expect([answer.status, answer.body]).toEqual([200, { message: "Paramètres enregistrés." }]);
  expect(await settingsOf(person)).toEqual({
    token: MASK,
    paiement: 11,
    adresse,
    relais: ["Tabac de la Gare", "Relais Colis Bastille"],
    etat: "connecte",
    adresse_complete: true,
    limites: { jour: 0, mois: 500, achats_jour: 1, arret: true, prudence: true },
    mandat: { requis: false, version: 1, accepte: null },
  });
  expect(await savedToken(person)).toBe(TOKEN);
});

test("absent fields stay as saved, also within the limits", async () => {
  const person = await newcomer();
  await save(person, { token: TOKEN, paiement: 11, relais: ["A"], limites: { jour: 5 } });
  const before = await settingsOf(person);
  expect(await save(person, {})).toBe(200);
  expect(await settingsOf(person)).toEqual(before);
  await save(person, { limites: { arret: true } });
  expect(await settingsOf(person)).toEqual({ ...before, limites: { ...before.limites, arret: true } });
});

test("the question before a purchase that is too cheap is switched off, and stays so until it is switched on", async () => {
  const person = await newcomer();
  const isAsked = async () => (await settingsOf(person)).limites.prudence;
  const stored = async () => (await world.store.settings.get(person.user.id)).limits.isPrudent;
  expect([await isAsked(), await stored()]).toEqual([true, true]);
  for (const [change, isAskedThen] of [
    [{ limites: { prudence: false } }, false],
    [{ limites: { jour: 7 } }, false],
    [{ paiement: 11 }, false],
    [{ limites: { prudence: true } }, true],
  ] as const) {
    expect(await save(person, change)).toBe(200);
    expect([await isAsked(), await stored()], JSON.stringify(change)).toEqual([isAskedThen, isAskedThen]);
  }
  for (const prudence of ["false", 0, null])
    expect(await save(person, { limites: { prudence } }), String(prudence)).toBe(400);
  expect(await isAsked()).toBe(true);
});

test("the mask, an empty and an absent token keep the saved one; null disconnects", async () => {
  const person = await newcomer();
  await save(person, { token: TOKEN });
  for (const token of [MASK, "", "  ", undefined]) {
    expect(await save(person, { token })).toBe(200);
    expect(await savedToken(person)).toBe(TOKEN);
  }
  expect(await save(person, { token: null })).toBe(200);
  expect(await settingsOf(person)).toMatchObject({ token: "", etat: "absent" });
  expect(await savedToken(person)).toBeNull();
});

test("the mask of any token can be sent back, and keeps it", async () => {
  const person = await newcomer();
  const letter = fc.constantFrom("a", "7", "é", "😀");
  const tokens = fc.array(letter, { minLength: 8, maxLength: 12 }).map((letters) => letters.join(""));
  const isKept = async (token: string) => {
    await save(person, { token });
    const { token: mask } = await settingsOf(person);
    expect([await save(person, { token: mask }), await savedToken(person)]).toEqual([200, token]);
  };
  await fc.assert(fc.asyncProperty(tokens, isKept), { numRuns: 20, examples: [["12345678😀abc"]] });
});

test.each([
  ["another mask", "••••••••0000"],
  ["a bare mask", "••••••••"],
  ["a mask with more behind", `${MASK}x`],
  ["a short token", "1234567"],
  ["a long token", "x".repeat(4_097)],
  ["a number", 12_345_678],
  ["a list", [TOKEN]],
])("%s is refused and leaves the saved token", async (_what, token) => {
  const person = await tokenPerson();
  expect(await save(person, { token })).toBe(400);
  expect(await savedToken(person)).toBe(TOKEN);
});

let sharedPerson: Person | undefined;
async function tokenPerson(): Promise<Person> {
  if (sharedPerson !== undefined) return sharedPerson;
  sharedPerson = await newcomer();
  await save(sharedPerson, { token: TOKEN });
  return sharedPerson;
}

test("a mask is no token while none is saved", async () => {
  expect(await save(await newcomer(), { token: MASK })).toBe(400);
});

test("the shortest and the longest token are taken, and short tails are masked as well", async () => {
  const person = await newcomer();
  for (const token of ["12345678", "é".repeat(8), "x".repeat(4_096)]) {
    expect(await save(person, { token })).toBe(200);
    expect(await savedToken(person)).toBe(token);
    expect((await settingsOf(person)).token).toBe(`••••••••${token.slice(-4)}`);
  }
});

const adresse = { rue: "a", ville: "b", code_postal: 1, pays: "France" };

test.each<readonly [string, unknown]>([
  ["a text for the postal code", { adresse: { ...adresse, code_postal: "75011" } }],
  ["a postal code beyond five digits", { adresse: { ...adresse, code_postal: 100_000 } }],
  ["a negative postal code", { adresse: { ...adresse, code_postal: -1 } }],
  ["a fraction of a postal code", { adresse: { ...adresse, code_postal: 1.5 } }],
  ["another country", { adresse: { ...adresse, pays: "Espagne" } }],
  ["half an address", { adresse: { rue: "a" } }],
  ["a long street", { adresse: { ...adresse, rue: "x".repeat(201) } }],
  ["an unknown payment", { paiement: 3 }],
  ["an empty relay point", { relais: ["  "] }],
  ["a long relay point", { relais: ["x".repeat(101)] }],
  ["too many relay points", { relais: Array.from({ length: 21 }, (_, n) => `Relais ${n}`) }],
  ["a negative limit", { limites: { jour: -1 } }],
  ["a fraction of a limit", { limites: { mois: 0.5 } }],
  ["an endless limit", { limites: { achats_jour: 100_001 } }],
  ["a word for the switch", { limites: { arret: "oui" } }],
  ["null for the limits", { limites: null }],
  ["a list for a body", []],
])("settings with %s are refused and change nothing", async (_what, change) => {
  const person = await tokenPerson();
  const before = await settingsOf(person);
  await world.clock.advance(6_000);
  const answer = await person.post("/vinted/edit", change);
  expect(answer.status, answer.text).toBe(400);
  const { champ, ...said } = z.strictObject(errorAnswer.shape).parse(answer.body);
  expect(said).toEqual({ error: expect.stringMatching(/^[A-ZÀ-Ý].+\.$/) as unknown });
  if (champ !== undefined) expect(Object.keys(parametresInput.shape)).toContain(champ.split(".", 1)[0]);
  expect(await settingsOf(person)).toEqual(before);
});

test("the stop switch is published as a change of the person, other changes only as settings", async () => {
  const person = await newcomer();
  await world.clock.advance(60_000);
  const before = world.eventsOf(person).length;
  await person.post("/vinted/edit", { paiement: 1 });
  await person.post("/vinted/edit", { limites: { arret: true } });
  const { id: userId } = person.user;
  expect(world.eventsOf(person).slice(before)).toEqual([
    { kind: "settings_changed", userId },
    { kind: "settings_changed", userId },
    { kind: "user_changed", userId },
  ]);
});

test("the token is shown to its owner alone, ten times an hour, and each time is on record", async () => {
  const person = await newcomer();
  await save(person, { token: TOKEN });
  for (let time = 0; time < 10; time += 1)
    expect((await person.get("/vinted/token")).body).toEqual({ token: TOKEN });
  const refused = await person.get("/vinted/token");
  expect(refused.status).toBe(429);
  expect(refused.headers["retry-after"]).toBe("360");
  expect(refused.body).toEqual({ error: "Trop de demandes : réessayez dans 6 minutes." });
  const other = await newcomer();
  expect((await other.get("/vinted/token")).body).toEqual({ token: "" });
  const shownTimes = (await world.store.audit.ofUser(person.user.id, 50)).filter(
    ({ kind }) => kind === "token_shown",
  );
  expect(shownTimes).toHaveLength(10);
});

test("tokens shown before a restart count after it", async () => {
  const person = await newcomer();
  const atMs = world.clock.nowMs() - 600_000;
  for (let time = 0; time < 10; time += 1)
    await world.store.audit.append({ atMs, kind: "token_shown", userId: person.user.id, details: {} });
  const refused = await person.get("/vinted/token");
  expect([refused.status, refused.headers["retry-after"]]).toEqual([429, "3000"]);
  expect(refused.body).toEqual({ error: "Trop de demandes : réessayez dans 50 minutes." });
});

test("the token is refused to anything but a fetch of our own pages", async () => {
  const person = await newcomer();
  for (const headers of [
    { "sec-fetch-site": "none", "sec-fetch-mode": "navigate", "sec-fetch-dest": "document" },
    { "sec-fetch-site": "same-origin", "sec-fetch-mode": "no-cors", "sec-fetch-dest": "script" },
    { "sec-fetch-site": "same-site", "sec-fetch-mode": "cors", "sec-fetch-dest": "empty" },
    { origin: "http://localhost:4000" },
  ] as Record<string, string>[]) {
    expect((await person.get("/vinted/token", { headers })).status).toBe(403);
  }
});

test("no other answer, no audit entry and no log line holds the token or the address", async () => {
  const person = await newcomer();
  const canary = "canary-token-4711-QQQQ";
  const street = "9 impasse du Canari";
  await save(person, { token: canary, adresse: { ...adresse, rue: street } });
  const answers = await Promise.all(
    ["/auth/user", "/vinted/get", "/filtres/get", "/filtres/publics", "/articles/recent", "/health"].map(
      (path) => person.get(path),
    ),
  );
  const output = JSON.stringify([answers.map(({ text }) => text), world.log, world.events]);
  const audit = JSON.stringify(await world.store.audit.ofUser(person.user.id, 100));
  expect(output.split(canary)).toHaveLength(1);
  expect(audit).not.toContain(canary);
  // The address is returned to its owner only.
  expect(output.split(street)).toHaveLength(2);
  expect(audit).not.toContain(street);
  expect(audit).toContain("address");
});

test("sending everything back as received, with one change, changes that alone", async () => {
  const person = await newcomer();
  await save(person, { token: TOKEN, paiement: 1, relais: ["Tabac de la Gare"] });
  const before = await settingsOf(person);
  expect(await save(person, { ...before, paiement: 11 })).toBe(200);
  expect(await settingsOf(person)).toEqual({ ...before, paiement: 11 });
  expect(await savedToken(person)).toBe(TOKEN);
});
