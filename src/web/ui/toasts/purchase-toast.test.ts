import { createElement } from "react";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Achat } from "#contract/achat.ts";
import { anAchat } from "#verify/testing/on-the-wire.ts";
import type { PurchaseNews } from "./purchase-news.ts";
import { PurchaseToast } from "./purchase-toast.ts";
import { loadedToasts } from "./show-toast.ts";

const bought = anAchat();
const kept = anAchat({ raison: "Le vendeur a déjà envoyé le colis." });
const cancelling = anAchat({ annulation: "en_cours" });
const cancelled = anAchat({ status: 0, raison: "Remboursé." });

let toast: PurchaseToast;
let end: () => void;
let shown: readonly PurchaseNews[] = [];
let closeMessage: () => void;

beforeEach(() => {
  const none = () => undefined;
  // What draws messages needs a browser.
  loadedToasts.set({
    Toasts: () => createElement("div"),
    show: none,
    hideStaying: none,
    showToConfirm: none,
    hideToConfirm: none,
    showPurchases: (news, onClose) => {
      shown = news;
      closeMessage = () => {
        shown = [];
        onClose();
      };
    },
  });
  toast = new PurchaseToast();
  end = toast.open();
});

afterEach(() => {
  end();
  loadedToasts.set(null);
});

/** What the message says; empty for none. */
const said = (): string => shown.map(({ boughtBy, text }) => `${boughtBy ?? ""} ${text}`).join();

function report(purchase: Achat, message: string): void {
  toast.report({ success: true, message, purchase });
}

/** A list of purchases was read; the filter "f1" is named Sacs. */
function list(...purchases: readonly Achat[]): void {
  toast.catchUp(purchases, (id) => (id === "f1" ? "Sacs" : undefined));
}

/** A first cancel was refused, its message closed, and the person cancels again. */
function cancelAgain(): void {
  report(bought, "Acheté.");
  report(kept, "Non abouti.");
  expect(said()).toContain("Non abouti.");
  closeMessage();
  toast.follow(kept);
}

test("a cancel that is refused a second time is announced again", () => {
  cancelAgain();
  report(cancelling, "En cours.");
  expect(said()).toBe("");
  report(kept, "Toujours pas.");
  expect(said()).toContain("Toujours pas.");
});

test("a second refusal is announced also where its beginning was not seen, once", () => {
  cancelAgain();
  report(kept, "Toujours pas.");
  expect(said()).toContain("Toujours pas.");
  closeMessage();
  report(kept, "Encore.");
  expect(said()).toBe("");
});

test.each([
  ["refused", kept, "Annulation non aboutie"],
  ["granted", cancelled, "Remboursé."],
])("a further cancel that is %s while disconnected is announced from the list", (_how, outcome, text) => {
  cancelAgain();
  // This one was read before the cancel.
  list(kept);
  expect(said()).toBe("");
  list(cancelling);
  expect(said()).toBe("");
  list(outcome);
  expect(said()).toContain(text);
});

test("a purchase that was undone after its cancel had been refused is announced", () => {
  report(kept, "Non abouti.");
  list(cancelled);
  expect(said()).toContain("Remboursé.");
});

test("a purchase of unknown outcome that was settled while disconnected is announced as settled", () => {
  report(anAchat({ status: 3 }), "À vérifier.");
  expect(said()).toContain("À vérifier.");
  list(bought);
  expect(said()).toContain("Achat confirmé");
});

test("a purchase that had begun before the connection was lost is announced, with its filter", () => {
  const auto = { source: "auto", filtre: "f1" } as const;
  report(anAchat({ ...auto, status: 2 }), "En cours.");
  expect(said()).toBe("");
  list(anAchat(auto));
  expect(said()).toMatch(/Achat automatique · filtre «.Sacs.».*Achat confirmé/u);
});
