import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Manque } from "#contract/achat.ts";
import { anAchat, aProduit } from "#verify/testing/on-the-wire.ts";
import {
  alertOfListings,
  alertOfPurchase,
  alertOfQuestion,
  keepAlertChoices,
  keepPushed,
  NO_ALERTS,
  parseAlertChoices,
} from "./browser-alerts.ts";

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
    constructor(_title: string, { tag }: { tag: string }) {
      super();
      notified.push(tag);
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

test("on a device with push, the hidden page notifies only of what the server does not push", () => {
  keepPushed(true);
  alertOfListings(1, product.title);
  alertOfPurchase({ success: true, message: "Achat confirmé", purchase });
  expect(notified).toEqual([]);
  alertOfQuestion(question);
  alertOfPurchase({ success: true, message: "Simulation", purchase: { ...purchase, simulation: true } });
  alertOfPurchase({
    success: true,
    message: "Commande passée ailleurs",
    purchase: { ...purchase, _id: "a2", source: "externe" },
  });
  alertOfPurchase({
    success: true,
    message: "Achat confirmé après coup",
    purchase: { ...purchase, _id: "a3", source: "externe", filtre: "f" },
  });
  expect(notified).toEqual(["a-confirmer-7", "achat-a1", "achat-a2"]);
});

test("without push, the hidden page notifies of everything", () => {
  alertOfPurchase({ success: true, message: "Achat confirmé", purchase });
  alertOfQuestion(question);
  expect(notified).toEqual(["achat-a1", "a-confirmer-7"]);
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
