import { randomBytes } from "node:crypto";
import { afterEach, expect, test } from "vitest";
import { HOUR_MS } from "#domain/clock.ts";
import { createEventBus } from "#server/events.ts";
import type { AuditEntry } from "#store/store.ts";
import { FakeClock } from "#verify/testing/fake-clock.ts";
import { createQuietLog } from "#verify/testing/quiet-log.ts";
import { openTestStore } from "#verify/testing/test-store.ts";
import { createOAuth } from "./oauth.ts";
import { sandboxProvider } from "./provider-calls.ts";
import { createSessions } from "./sessions.ts";
import { createSignIn, deviceOf, sandboxWelcome } from "./sign-in.ts";

const URL_OF_PRODUCT = "http://localhost:3000";

const resources: AsyncDisposable[] = [];
afterEach(async () => {
  for (const one of resources.splice(0)) await one[Symbol.asyncDispose]();
});

async function aSignIn() {
  const opened = await openTestStore();
  resources.push(opened);
  const { store } = opened;
  const clock = new FakeClock();
  const log = createQuietLog();
  const events = createEventBus(log);
  const provider = sandboxProvider({ url: "http://127.0.0.1:9", publicUrl: "http://127.0.0.1:9" });
  const oauth = createOAuth({ provider, publicUrl: URL_OF_PRODUCT, cookieKey: randomBytes(32), clock });
  const sessions = createSessions({ sessions: store.sessions, events, clock });
  // The audit log is read per person, whereas a refused sign-in has none.
  const written: AuditEntry[] = [];
  const audit = {
    async append(entry: AuditEntry) {
      await store.audit.append(entry);
      written.push(entry);
    },
  };
  const signIn = createSignIn({ oauth, sessions, store: { ...store, audit }, events, clock, log });
  const comeBack = async (cookieHeader?: string, query = {}) =>
    signIn.complete({ cookieHeader, query, userAgent: undefined });
  return { clock, comeBack, log, signIn, written };
}

test("endless refusals fill the log of requests, not the audit log", async () => {
  const { clock, comeBack, log, written } = await aSignIn();
  for (let turn = 0; turn < 100; turn += 1)
    expect(await comeBack()).toEqual({ kind: "refused", isOver: false });
  expect(written).toHaveLength(30);
  expect(log.lines.filter(({ message }) => message === "sign-in refused")).toHaveLength(100);
  await clock.advance(HOUR_MS);
  for (let turn = 0; turn < 100; turn += 1) await comeBack();
  expect(written).toHaveLength(60);
});

test("a flood of one kind of refusal does not keep another out of the audit log", async () => {
  const { comeBack, signIn, written } = await aSignIn();
  for (let turn = 0; turn < 100; turn += 1) await comeBack();
  const { location, cookie } = signIn.begin(undefined);
  const state = new URL(location).searchParams.get("state");
  await comeBack(cookie.split(";", 1)[0], { state, error: "access_denied" });
  expect(written.at(-1)).toMatchObject({ kind: "login_failed", details: { reason: "declined" } });
});

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

test("browser and system are recognised, whatever browser they imitate", () => {
  const chrome =
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Safari/537.36";
  expect(deviceOf(chrome)).toBe("Chrome sur Linux");
  expect(deviceOf(`${chrome} Edg/140.0`.replace("X11; Linux x86_64", "Windows NT 10.0"))).toBe(
    "Edge sur Windows",
  );
  expect(deviceOf("Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) Version/19.0 Safari/604.1")).toBe(
    "Safari sur iPhone",
  );
  expect(deviceOf("Mozilla/5.0 (Android 15; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0")).toBe(
    "Firefox sur Android",
  );
});

test("nothing of the header is kept but these words", () => {
  expect(deviceOf("<script>alert(1)</script> Firefox/1")).toBe("Firefox");
  expect([deviceOf(undefined), deviceOf("curl/8.0"), deviceOf("")]).toEqual(["", "", ""]);
});
