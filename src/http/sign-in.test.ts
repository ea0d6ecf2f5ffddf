import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { z } from "zod";
import { StoreError } from "#store/errors.ts";
import { startHttpWorld, type HttpWorld, type Person } from "./http-world.suite.ts";

let world: HttpWorld;

beforeAll(async () => {
  world = await startHttpWorld();
});
afterAll(() => world[Symbol.asyncDispose]());

const subscribed = z.object({ abonnement: z.json() });

/** A device that the sandbox's push service knows: with another, the test alert is refused and the device counts as lost. */
async function connectDevice(person: Person): Promise<void> {
  const asked = { method: "POST", body: JSON.stringify({ nom: person.user.login }) };
  const made: unknown = await (await fetch(`${world.sandboxUrl}/push/devices`, asked)).json();
  expect((await person.post("/alertes/appareils", subscribed.parse(made))).status).toBe(200);
}

test("a persona of each plan signs in, is sent to the panel, and gets answers that match the contract", async () => {
  for (const [name, level, plan] of [
    ["seeker-lea", 1, "seeker"],
    ["acquire-lea", 1, "acquire"],
    ["thunder-lea", 2, "thunder"],
  ] as const) {
    const answer = await world.signInAs(name);
    expect([answer.status, answer.headers["location"]]).toEqual([302, "/synapse/articles"]);
    const person = world.clientWith(answer.cookies.join("; "));
    expect((await person.get("/auth/user")).body).toMatchObject({
      user: { level, plan, email: `${name}@personnes.example`, fin: null },
    });
    expect((await person.get("/vinted/get")).body).toEqual({
      vinted: {
        token: "••••••••-lea",
        paiement: 1,
        adresse: { rue: "12 rue de la Roquette", ville: "Paris", code_postal: 75_011, pays: "France" },
        relais: ["Relais Colis Bastille"],
        etat: "connecte",
        adresse_complete: true,
        limites: { jour: 300, mois: 2000, achats_jour: 20, arret: false, prudence: true },
        mandat: { requis: false, version: 1, accepte: null },
      },
    });
    expect((await person.get("/vinted/token")).body).toEqual({ token: `sandbox-${name}` });
  }
});

test("of two first sign-ins of a persona at the same moment both lead to the panel", async () => {
  for (const name of ["thunder-deux", "acquire-deux", "seeker-deux"]) {
    const answers = await Promise.all([world.signInAs(name), world.signInAs(name)]);
    expect(answers.map(({ headers }) => headers["location"])).toEqual(Array(2).fill("/synapse/articles"));
  }
});

test("anybody else is put on the waiting list, sent to the plans, and refused in the panel", async () => {
  const answer = await world.signInAs("alice");
  expect([answer.status, answer.headers["location"]]).toEqual([302, "/#prix"]);
  const alice = world.clientWith(answer.cookies.join("; "));
  const { body } = await alice.get("/auth/user");
  expect(body).toMatchObject({ user: { level: 0, plan: "none", waitlist: { rank: 1, total: 1 } } });
  expect((await alice.get("/vinted/get")).status).toBe(403);
  await world.signInAs("bob");
  expect((await alice.get("/auth/user")).body).toMatchObject({ user: { waitlist: { rank: 1, total: 2 } } });
});

test("a second sign-in restores nothing that was removed meanwhile", async () => {
  const person = await world.signIn("seeker");
  await person.post("/vinted/edit", { token: null, relais: [] });
  await world.store.users.setPlan(person.user.id, "none", null);
  const again = await world.signInAs(person.user.login);
  expect(again.headers["location"]).toBe("/#prix");
  const settings = await world.store.settings.get(person.user.id);
  expect(settings).toMatchObject({ pickupPointNames: [], account: { state: "absent" } });
});

test("a sign-in ends the stop that an interrupted erasure left, and no other", async () => {
  const { purchases, users } = world.store;
  const person = await world.signIn("acquire");
  const { id, login } = person.user;
  const reasonAfterSignIn = async () => {
    await world.signInAs(login);
    return (await purchases.accountStop(id))?.reason;
  };
  await purchases.stopUnlessStopped(id, "erasure");
  expect(await reasonAfterSignIn()).toBeUndefined();
  await purchases.stopAccount(id, "erasure");
  await users.setSuspended(id, true);
  expect(await reasonAfterSignIn()).toBe("erasure");
  await users.setSuspended(id, false);
  await purchases.stopAccount(id, "operator");
  expect(await reasonAfterSignIn()).toBe("operator");
});

test("the picture is the sandbox's own", async () => {
  const person = await world.signIn("seeker");
  const { body } = await person.get("/auth/user");
  expect(JSON.stringify(body)).toContain(`"picture":"${world.sandboxUrl}/avatars/`);
});

test("both cookies have the __Host- prefix, and the sign-in's cookie is cleared at the end", async () => {
  const begun = await world.anonymous.get("/auth/discord");
  expect(String(begun.headers["set-cookie"])).toMatch(
    /^__Host-oauth=[\w-]+; Path=\/; Max-Age=600; Secure; HttpOnly; SameSite=Lax$/,
  );
  const answer = await world.signInAs("seeker-cookies");
  expect(answer.headers["set-cookie"]).toEqual([
    expect.stringMatching(
      /^__Host-sid=[\w-]{43}; Path=\/; Max-Age=2592000; Secure; HttpOnly; SameSite=Strict$/,
    ),
    "__Host-oauth=; Path=/; Max-Age=0; Secure; HttpOnly; SameSite=Lax",
  ]);
});

test("a sign-in in another tab is refused without ending the one that began last", async () => {
  const [first, last] = [
    await world.anonymous.get("/auth/discord"),
    await world.anonymous.get("/auth/discord"),
  ];
  const browser = world.clientWith(last.cookies.join("; "));
  const refused = await browser.get(await callbackOf(first.headers["location"]));
  expect([refused.headers["location"], refused.headers["set-cookie"]]).toEqual(["/", undefined]);
  const answer = await browser.get(await callbackOf(last.headers["location"]));
  expect(answer.headers["location"]).toBe("/synapse/articles");
});

test("a refused sign-in that the browser did begin is over", async () => {
  const begun = await world.anonymous.get("/auth/discord");
  const state = new URL(String(begun.headers["location"])).searchParams.get("state") ?? "";
  const declined = `/auth/discord/callback?error=access_denied&state=${state}`;
  const answer = await world.clientWith(begun.cookies.join("; ")).get(declined);
  expect(answer.headers["location"]).toBe("/");
  expect(String(answer.headers["set-cookie"])).toMatch(/^__Host-oauth=; .*Max-Age=0/);
});

/** The callback's path after an approval. */
async function callbackOf(location: unknown): Promise<string> {
  const approved = await fetch(`${String(location)}&persona=seeker-onglets`, { redirect: "manual" });
  const { pathname, search } = new URL(approved.headers.get("location") ?? "");
  return `${pathname}${search}`;
}

test("accounts are identified by the provider's id, not by e-mail or name", async () => {
  const before = (await world.store.users.all()).length;
  await world.signInAs("seeker-one");
  await world.signInAs("seeker-one");
  await world.signInAs("seeker-two");
  expect((await world.store.users.all()).length).toBe(before + 2);
});

test("signing out kills the session, says so, and is no error without one", async () => {
  const person = await world.signIn("seeker");
  const answer = await person.get("/auth/out");
  expect(answer.status).toBe(200);
  expect(answer.body).toEqual({ message: "Vous êtes déconnecté." });
  expect(String(answer.headers["set-cookie"])).toMatch(/^__Host-sid=; .*Max-Age=0/);
  expect((await person.get("/auth/user")).body).toEqual({ user: null });
  expect((await person.post("/auth/keepalive")).status).toBe(401);
  expect((await person.get("/auth/out")).status).toBe(200);
  expect((await world.anonymous.get("/auth/out")).status).toBe(200);
  expect(world.events).toContainEqual(
    expect.objectContaining({ kind: "session_ended", userId: person.user.id }),
  );
});

test("a sign-out that fails keeps the cookie, and takes session and device along when it is repeated", async () => {
  const person = await world.signIn("thunder");
  await connectDevice(person);
  const ending = vi.spyOn(world.store.sessions, "end");
  const isEnded = (): boolean =>
    world.events.some((event) => event.kind === "session_ended" && event.userId === person.user.id);
  const devices = async () => (await world.store.alerts.destinations.ofUser(person.user.id)).length;

  ending.mockRejectedValueOnce(new StoreError("overloaded", "too much to do"));
  const failed = await person.get("/auth/out");
  expect([failed.status, failed.headers["set-cookie"]]).toEqual([503, undefined]);
  expect([isEnded(), await devices()]).toEqual([false, 1]);

  const repeated = await person.get("/auth/out");
  expect(repeated.status).toBe(200);
  expect(String(repeated.headers["set-cookie"])).toMatch(/^__Host-sid=; .*Max-Age=0/);
  expect([isEnded(), await devices()]).toEqual([true, 0]);

  // Without a session the cookie may still name devices to remove.
  ending.mockRejectedValueOnce(new StoreError("overloaded", "too much to do"));
  const again = await person.get("/auth/out");
  expect([again.status, again.headers["set-cookie"]]).toEqual([503, undefined]);
  ending.mockRestore();
});

test("the keep-alive keeps a session alive", async () => {
  const person = await world.signIn("alice");
  for (let hour = 0; hour < 30; hour += 10) {
    await world.clock.advance(10 * 3_600_000);
    expect((await person.post("/auth/keepalive")).body).toEqual({ success: true });
  }
  await world.clock.advance(24 * 3_600_000);
  expect((await person.post("/auth/keepalive")).status).toBe(401);
});

test("a sign-out takes the device along and says so, also when its session has expired", async () => {
  const expiredMs = 24 * 3_600_000 + 1;
  for (const [idleMs, isPruned, published] of [
    [0, false, ["session_ended"]],
    // Its next call ends an idle session and leaves its devices, which the sign-out then takes.
    [expiredMs, false, ["session_ended", "alerts_changed"]],
    [expiredMs, true, ["alerts_changed"]],
  ] as const) {
    const person = await world.signIn("thunder");
    await connectDevice(person);
    await world.clock.advance(idleMs);
    if (isPruned) await world.sessions.prune();
    const before = world.eventsOf(person).length;
    expect((await person.get("/auth/out")).status).toBe(200);
    expect(await world.store.alerts.destinations.ofUser(person.user.id)).toEqual([]);
    expect(world.eventsOf(person).slice(before)).toMatchObject(published.map((kind) => ({ kind })));
  }
});

test("sign-ins, refused ones and sign-outs are written to the audit log", async () => {
  const person = await world.signIn("seeker");
  await person.get("/auth/out");
  const kinds = (await world.store.audit.ofUser(person.user.id, 10)).map(({ kind }) => kind);
  expect(kinds).toEqual(["logout", "login"]);
});
