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
    hide: none,
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

test("the name of a filter that is read late is added to what its purchase has become", () => {
  const auto = { source: "auto", filtre: "f1" } as const;
  const awaiting = anAchat({ ...auto, status: 2, purchase_confirmation: "https://bank.test/1" });
  report(awaiting, "Votre banque attend.");
  report(anAchat(auto), "Acheté.");
  toast.nameFilter(awaiting, "Sacs");
  expect(said()).toMatch(/^Achat automatique · filtre «.Sacs.» Acheté\.$/u);
  closeMessage();
  toast.nameFilter(awaiting, "Sacs");
  expect(said()).toBe("");
});

test("what a click offers stays while its purchase goes on, and goes once it is cancelled", () => {
  const offer = { label: "Arrêter le groupe", onSelect: () => undefined };
  const awaiting = anAchat({ status: 2, purchase_confirmation: "https://bank.test/1" });
  toast.announceAnswer({ success: true, message: "Votre banque attend.", purchase: awaiting }, offer);
  report(bought, "Acheté.");
  expect(said()).toContain("Acheté.");
  expect(shown.map((news) => news.offer)).toEqual([offer]);
  report(cancelled, "Annulé.");
  expect(shown.map((news) => news.offer)).toEqual([undefined]);
});

test("a purchase that began and ended while disconnected is announced once the list names it, and only once", () => {
  list();
  const old = anAchat({ _id: "p0" });
  list(old);
  expect(said()).toContain("Achat confirmé");
  closeMessage();
  expect(said()).toBe("");
  const auto = anAchat({ _id: "p9", source: "auto", filtre: "f1", purchase_date: 200 });
  list(auto, old);
  expect(said()).toMatch(/filtre «.Sacs.».*Achat confirmé/u);
  closeMessage();
  list(auto, old);
  report(auto, "Acheté.");
  expect(said()).toBe("");
});

test("one that began while disconnected is announced although the list already names a newer one, or one booked late", () => {
  const [first, missed, clicked] = [50, 100, 110].map((dateS) =>
    anAchat({ _id: `p${dateS}`, purchase_date: dateS }),
  );
  if (first === undefined || missed === undefined || clicked === undefined) throw new Error("three dates");
  list(first);
  toast.announceAnswer({ success: true, message: "Cliqué.", purchase: clicked });
  list(clicked, first);
  list(clicked, missed, first);
  expect(said()).toMatch(/Achat confirmé.*Cliqué/u);
});

test("the purchases that the first list names are no news", () => {
  list(anAchat());
  list(anAchat());
  expect(said()).toBe("");
});

test("a purchase that waits for the bank since before the page was opened is announced when it fails", () => {
  list(anAchat({ status: 2, purchase_confirmation: "https://bank.test/1" }));
  expect(said()).toBe("");
  list(anAchat({ status: 0, raison: "La banque a refusé." }));
  expect(said()).toContain("La banque a refusé.");
});

test("neither older purchases that the list names later nor one that a click waits for are announced from the list", () => {
  list(anAchat({ _id: "p5", purchase_date: 500 }));
  const older = anAchat({ _id: "p4", purchase_date: 400 });
  const clicked = anAchat({ _id: "p6", purchase_date: 600 });
  toast.beginClick(clicked.product.id);
  list(clicked, anAchat({ _id: "p5", purchase_date: 500 }), older);
  expect(said()).toBe("");
  toast.announceAnswer({ success: true, message: "Acheté.", purchase: clicked });
  expect(said()).toContain("Acheté.");
});

test("an event that comes after the list only adds the filter's name, if that was not known yet", () => {
  list();
  const auto = anAchat({ source: "auto", offre: "Thunder", filtre: "f2" });
  list(auto);
  expect(said()).toMatch(/^Thunder .*Achat confirmé/u);
  toast.report({ success: true, message: "Acheté.", purchase: auto }, "Jeans");
  expect(said()).toMatch(/^Thunder · filtre «.Jeans.» .*Achat confirmé/u);
});
