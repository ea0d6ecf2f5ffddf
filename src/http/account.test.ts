import { afterAll, beforeAll, expect, test } from "vitest";
import { z } from "zod";
import { appareil, sante } from "#contract/parametres.ts";
import { asListingId, asPurchaseId } from "#domain/ids.ts";
import { budgetKeys, nextDayMs } from "#purchasing/decide/limits.ts";
import { aListing } from "#verify/testing/a-listing.ts";
import { startHttpWorld, type HttpWorld, type Person } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const listed = z.strictObject({ sessions: z.array(z.strictObject(appareil.shape)) });

async function devicesOf(person: Pick<Person, "get">) {
  return listed.parse((await person.get("/auth/sessions")).body).sessions;
}

/** Signs in the same person on another device. */
async function elsewhere(person: Person) {
  const answer = await world.signInAs(person.user.login);
  return world.clientWith(answer.cookies.join("; "));
}

test("a person sees where they are signed in, and which of it is here", async () => {
  const person = await world.signIn("seeker");
  await world.clock.advance(60_000);
  const other = await elsewhere(person);
  const devices = await devicesOf(person);
  expect(devices.filter(({ actuel }) => actuel)).toHaveLength(1);
  expect(devices).toHaveLength(2);
  expect((await devicesOf(other)).find(({ actuel }) => actuel)?.depuis).toBe(world.clock.nowMs());
  // The handle is no credential: neither the cookie nor the store's id.
  for (const { id } of devices) {
    expect(person.cookie).not.toContain(id);
    expect((await world.clientWith(`__Host-sid=${id}`).get("/auth/sessions")).status).toBe(401);
  }
});

test("a device is signed out by its owner alone", async () => {
  const [person, stranger] = [await world.signIn("seeker"), await world.signIn("seeker")];
  const other = await elsewhere(person);
  const id = (await devicesOf(person)).find(({ actuel }) => !actuel)?.id;
  expect((await stranger.post("/auth/sessions/end", { id })).status).toBe(404);
  expect((await other.get("/auth/sessions")).status).toBe(200);
  const answer = await person.post("/auth/sessions/end", { id });
  expect(answer.body).toEqual({ message: "1 appareil déconnecté." });
  expect((await other.get("/auth/sessions")).status).toBe(401);
  expect(await devicesOf(person)).toHaveLength(1);
});

test("all other devices are signed out together, this one stays", async () => {
  const person = await world.signIn("seeker");
  const others = [await elsewhere(person), await elsewhere(person)];
  expect((await person.post("/auth/sessions/end", {})).body).toEqual({ message: "2 appareils déconnectés." });
  for (const other of others) expect((await other.get("/auth/sessions")).status).toBe(401);
  expect(await devicesOf(person)).toHaveLength(1);
});

test("deleting an account requires the confirmation word and removes all of its data", async () => {
  const person = await world.signIn("seeker");
  await person.post("/filtres/add", { tag: "À effacer" });
  expect((await person.post("/auth/delete", { confirmation: "oui" })).status).toBe(400);
  expect(await world.store.users.byId(person.user.id)).not.toBeNull();
  const answer = await person.post("/auth/delete", { confirmation: "SUPPRIMER" });
  expect([answer.status, answer.body]).toEqual([200, { message: "Votre compte est supprimé." }]);
  expect(await world.store.users.byId(person.user.id)).toBeNull();
  expect(await world.store.filters.ofUser(person.user.id)).toEqual([]);
  expect((await person.get("/auth/sessions")).status).toBe(401);
});

test("a suspended person is asked to write to the support for the deletion", async () => {
  const person = await world.signIn("seeker");
  await world.store.users.setSuspended(person.user.id, true);
  const answer = await person.post("/auth/delete", { confirmation: "SUPPRIMER" });
  expect([answer.status, answer.body]).toEqual([
    403,
    {
      error: "Votre compte est suspendu ou arrêté par l'exploitant : écrivez au support pour le supprimer.",
    },
  ]);
  expect(await world.store.users.byId(person.user.id)).not.toBeNull();
});

test("the state of feed, account and limits comes in one answer", async () => {
  const seeker = await world.signIn("seeker");
  expect((await seeker.get("/vinted/etat")).body).toEqual({
    etat: {
      flux: { etat: "ailleurs", raison: null, reprise: null },
      lectures_par_seconde: 20,
      compte: "connecte",
      adresse_complete: true,
      achats_auto: { inclus: false, filtres: 0, arret: false, bloque: null, reprise: null },
      depense: {
        jour: { amount: "0.00", currency_code: "EUR" },
        limite_jour: { amount: "300.00", currency_code: "EUR" },
      },
    },
  });
  const thunder = await world.signIn("thunder");
  await thunder.post("/filtres/add", { tag: "Auto", autobuy: true });
  await thunder.post("/vinted/edit", { limites: { arret: true } });
  expect((await thunder.get("/vinted/etat")).body).toMatchObject({
    etat: { achats_auto: { inclus: true, filtres: 1, arret: true } },
  });
  const adresse = { rue: "12 rue de la Roquette", ville: "", code_postal: 75_011, pays: "France" };
  await thunder.post("/vinted/edit", { adresse });
  expect((await thunder.get("/vinted/etat")).body).toMatchObject({ etat: { adresse_complete: false } });
});

test("a stop of one account and today's outside spending are shown to the person concerned", async () => {
  const [one, other] = [await world.signIn("thunder"), await world.signIn("seeker")];
  const etatOf = async (person: typeof one) => (await person.get("/vinted/etat")).body;
  const nowMs = world.clock.nowMs();
  await world.store.purchases.stopAccount(one.user.id, "a reason of the operator's own");
  await world.store.purchases.pauseAccount(other.user.id, "a refusal", nowMs);
  await world.store.purchases.recordExternal({
    id: asPurchaseId("bought-elsewhere"),
    userId: one.user.id,
    transactionId: 7,
    listingId: asListingId(8),
    listing: aListing({ id: 8 }),
    totalCents: 3_150,
    orderedAtMs: nowMs,
    nowMs,
    ...budgetKeys(nowMs),
  });
  expect(await etatOf(one)).toMatchObject({
    etat: {
      achats_auto: {
        bloque: "Suspendus pour votre compte par Synapse : écrivez au support",
        reprise: null,
      },
      depense: { jour: { amount: "31.50" } },
    },
  });
  expect(await etatOf(other)).toMatchObject({
    etat: {
      achats_auto: {
        bloque: "En pause : Vinted demande à votre compte d'attendre",
        reprise: nowMs + 60_000,
      },
      depense: { jour: { amount: "0.00" } },
    },
  });
  await world.clock.advance(61_000);
  expect(await etatOf(other)).toMatchObject({ etat: { achats_auto: { bloque: null } } });
});

test("a reached limit is shown as what stops purchases, until the day ends in Paris", async () => {
  const person = await world.signIn("thunder");
  const blockAfter = async (transactionId: number, totalCents: number) => {
    const nowMs = world.clock.nowMs();
    await world.store.purchases.recordExternal({
      id: asPurchaseId(`bought-${transactionId}`),
      userId: person.user.id,
      transactionId,
      listingId: asListingId(transactionId),
      listing: aListing({ id: transactionId }),
      totalCents,
      orderedAtMs: nowMs,
      nowMs,
      ...budgetKeys(nowMs),
    });
    const { etat } = z.object({ etat: sante }).parse((await person.get("/vinted/etat")).body);
    return [etat.achats_auto.bloque, etat.achats_auto.reprise];
  };
  expect(await blockAfter(21, 29_900)).toEqual([null, null]);
  const untilMs = nextDayMs(world.clock.nowMs());
  const text = "En pause : votre limite de dépenses du jour est atteinte";
  expect(await blockAfter(22, 50)).toEqual([text, untilMs]);
  expect(budgetKeys(untilMs).dayKey).not.toBe(budgetKeys(untilMs - 1).dayKey);
});
