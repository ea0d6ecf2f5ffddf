import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Manque } from "#contract/achat.ts";
import { anAchat, aProduit } from "#verify/testing/on-the-wire.ts";
import {
  type AlertRules,
  alertOfListings,
  alertOfPurchase,
  alertOfQuestion,
  keepAlertChoices,
  NO_ALERTS,
  parseAlertChoices,
  type Silence,
} from "./browser-alerts.ts";
import { keepPushed } from "./push-subscription.ts";

const product = aProduit({ id: 7 });
const purchase = anAchat({ _id: "a1", product });

const question: Manque = {
  etapes: [],
  raison: "Trop beau pour être vrai",
  conseil: null,
  date: 1,
  product,
  filtre: "f1",
  code: "trop_beau",
  a_confirmer: true,
};

const notified: string[] = [];

beforeEach(() => {
  notified.length = 0;
  class Shown extends EventTarget {
    static permission = "granted";
    constructor(_title: string, { tag, silent }: { tag: string; silent: boolean }) {
      super();
      notified.push(silent ? `${tag} silent` : tag);
    }
  }
  const stored = new Map<string, string>();
  vi.stubGlobal("Notification", Shown);
  vi.stubGlobal("window", {
    Notification: Shown,
    localStorage: {
      getItem: (key: string) => stored.get(key) ?? null,
      setItem: (key: string, text: string) => stored.set(key, text),
      removeItem: (key: string) => stored.delete(key),
    },
  });
  vi.stubGlobal("document", { visibilityState: "hidden" });
  keepAlertChoices({ notifications: true, sound: false });
});

afterEach(() => void vi.unstubAllGlobals());

const rules = (silence: Partial<Silence> = {}): AlertRules => ({
  modeOf: (filterId) => (filterId === "rien" ? "rien" : filterId === "silencieux" ? "silencieux" : undefined),
  silence: async () => ({ isQuiet: false, isPaused: false, ...silence }),
});
const found = (...filtres: string[]) => [{ title: product.title, filtres }];

test("on a device with push, the hidden page notifies only of what the server does not push", async () => {
  keepPushed(true);
  await alertOfListings(found("f1"), rules());
  await alertOfPurchase({ success: true, message: "Achat confirmé", purchase }, rules());
  expect(notified).toEqual([]);
  await alertOfQuestion(question, rules());
  for (const [message, traits] of [
    ["Simulation", { simulation: true }],
    ["Commande passée ailleurs", { _id: "a2", source: "externe" }],
    ["Achat confirmé après coup", { _id: "a3", source: "externe", filtre: "f" }],
  ] as const)
    await alertOfPurchase({ success: true, message, purchase: { ...purchase, ...traits } }, rules());
  expect(notified).toEqual(["a-confirmer-7", "achat-a1", "achat-a2"]);
});

test("nothing is notified of a purchase that is under way, unless the bank waits for the person", async () => {
  const states = [
    { status: 2, purchase_confirmation: null },
    { status: 1, annulation: "en_cours" },
    { status: 2, purchase_confirmation: "https://bank.example" },
    { status: 0 },
    { status: 2, purchase_confirmation: null, a_payer: { amount: "12.00", currency_code: "EUR" } },
  ] as const;
  for (const [index, traits] of states.entries())
    await alertOfPurchase(
      { success: true, message: "Achat", purchase: { ...purchase, ...traits, _id: `a${index}` } },
      rules(),
    );
  expect(notified).toEqual(["achat-a2", "achat-a3", "achat-a4"]);
});

test("without push, the hidden page notifies of everything", async () => {
  await alertOfPurchase({ success: true, message: "Achat confirmé", purchase }, rules());
  await alertOfQuestion(question, rules());
  expect(notified).toEqual(["achat-a1", "a-confirmer-7"]);
});

test("listings notify as their filters say, and neither in quiet hours nor in a pause", async () => {
  vi.useFakeTimers();
  vi.advanceTimersByTime(3_600_000);
  const tell = async (...args: Parameters<typeof alertOfListings>): Promise<readonly string[]> => {
    notified.length = 0;
    await alertOfListings(...args);
    vi.advanceTimersByTime(10_001);
    return [...notified];
  };
  expect(await tell(found("f1"), rules())).toEqual(["articles"]);
  expect(await tell(found("rien"), rules())).toEqual([]);
  expect(await tell(found("silencieux"), rules())).toEqual(["articles silent"]);
  expect(await tell(found("rien", "f1"), rules())).toEqual(["articles"]);
  expect(await tell(found("f1"), rules({ isQuiet: true }))).toEqual([]);
  expect(await tell(found("f1"), rules({ isPaused: true }))).toEqual([]);
  vi.setSystemTime(Date.now() - 3_600_000);
  expect(await tell(found("f1"), rules())).toEqual(["articles"]);
  vi.useRealTimers();
});

test("a person who wants no notifications and no sound here has no settings read for them", async () => {
  keepAlertChoices(NO_ALERTS);
  const unread = { ...rules(), silence: async () => await Promise.reject<Silence>(new Error("read")) };
  vi.useFakeTimers({ now: Date.now() + 7_200_000 });
  await alertOfListings(found("f1"), unread);
  await alertOfPurchase({ success: true, message: "Achat confirmé", purchase }, unread);
  vi.useRealTimers();
  expect(notified).toEqual([]);
});

test("in quiet hours purchases notify silently, but the bank is heard", async () => {
  const quiet = rules({ isQuiet: true });
  await alertOfPurchase({ success: true, message: "Achat confirmé", purchase }, quiet);
  const awaiting = { ...purchase, status: 2, purchase_confirmation: "https://bank.test/1" };
  await alertOfPurchase({ success: true, message: "À confirmer", purchase: awaiting }, quiet);
  await alertOfQuestion(question, quiet);
  expect(notified).toEqual(["achat-a1 silent", "achat-a1", "a-confirmer-7 silent"]);
});

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
