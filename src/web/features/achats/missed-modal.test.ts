import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Manque } from "#contract/achat.ts";
import { aProduit, eur } from "#verify/testing/on-the-wire.ts";
import { queries } from "../../api/queries.ts";
import type { BuyState } from "../../ui/buying/buy.ts";
import { MissedRow, sortedMisses } from "./missed-modal.tsx";

function aManque(id: number, isAsked: boolean): Manque {
  return {
    etapes: [],
    raison: "Trop beau pour être vrai : 12 € au lieu de 80–140 €. Rien n'a été acheté.",
    conseil: null,
    date: 1_700_000_000_000 + id,
    product: { ...aProduit(), id, total_item_price: eur("12.00") },
    filtre: "f",
    code: isAsked ? "trop_beau" : null,
    a_confirmer: isAsked,
  };
}

/** States and new prices after clicks, by listing id. */
function clicks(states: Readonly<Record<number, BuyState>>, prices: Readonly<Record<number, string>> = {}) {
  return {
    stateOf: ({ id }: { readonly id: number }) => states[id] ?? { kind: "idle" as const },
    wasTried: (id: number) => id in states,
    newPriceOf: (id: number) => (prices[id] === undefined ? null : eur(prices[id])),
  };
}

const ids = (rows: readonly { readonly product: { readonly id: number } }[]) =>
  rows.map(({ product }) => product.id);

const NONE: ReadonlyMap<number, Manque> = new Map();

function sorted(manques: readonly Manque[], known: ReturnType<typeof clicks>, shown = NONE) {
  const { toConfirm, missed } = sortedMisses(manques, shown, known);
  return { toConfirm: ids(toConfirm.map(({ manque }) => manque)), missed: ids(missed) };
}

test("what waits for the person's word stands apart from what was missed", () => {
  const manques = [aManque(1, false), aManque(2, true), aManque(3, true)];
  expect(sorted(manques, clicks({}))).toEqual({ toConfirm: [2, 3], missed: [1] });
});

test("a listing being bought stays to be confirmed, a bought one is not listed, a sold one is missed", () => {
  const manques = [aManque(1, true), aManque(2, true), aManque(3, true)];
  const states = clicks({
    1: { kind: "busy" },
    2: { kind: "bought" },
    3: { kind: "refused", reason: "Vendu.", isGone: true },
  });
  expect(sorted(manques, states)).toEqual({ toConfirm: [1], missed: [3] });
});

test("a click that bought nothing leaves its row, with the price that it was refused for", () => {
  // The failed attempt has replaced the miss that asked for confirmation.
  const known = clicks(
    { 1: { kind: "refused", reason: "Le prix a augmenté.", isGone: false } },
    { 1: "15.00" },
  );
  const { toConfirm, missed } = sortedMisses([aManque(1, false)], NONE, known);
  expect(missed).toEqual([]);
  expect(toConfirm).toMatchObject([{ manque: { product: { total_item_price: eur("15.00") } } }]);
});

test("a row stays where it is while the window is open, whatever becomes of it, and newer ones come below", () => {
  const [first, second] = [aManque(1, true), aManque(2, true)];
  const shown = new Map([first, second].map((manque) => [manque.product.id, manque]));
  const states = clicks({
    1: { kind: "bought" },
    2: { kind: "refused", reason: "Vendu.", isGone: true },
  });
  const failed = { ...aManque(2, false), date: 1_800_000_000_000, raison: "Vendu." };
  // A started purchase leaves the list of misses; a failed one comes back as a new miss.
  const manques = [failed, aManque(3, true), aManque(4, false)];
  expect(sorted(manques, states, shown)).toEqual({ toConfirm: [1, 2, 3], missed: [4] });
  const { toConfirm } = sortedMisses(manques, shown, states);
  expect(toConfirm[1]).toMatchObject({ manque: { raison: "Vendu.", date: second.date } });
  // Without shown rows, as after reopening, only undecided ones are left to confirm.
  expect(sorted(manques, states)).toEqual({ toConfirm: [3], missed: [2, 4] });
});

test("a miss offers to block its seller, unless that is done or the seller is not known", () => {
  const client = new QueryClient();
  const { queryKey } = queries.blockedSellers;
  const offered = (user: Manque["product"]["user"]): boolean => {
    const manque = { ...aManque(1, false), product: aProduit({ user }) };
    const row = createElement(MissedRow, { Heading: "h3", manque });
    const page = renderToStaticMarkup(createElement(QueryClientProvider, { client }, row));
    expect(page).toContain(user.login);
    return page.includes('aria-label="Bloquer lea75"');
  };
  const lea = { id: 75, login: "lea75", photo: null };
  client.setQueryData(queryKey, []);
  expect([offered(lea), offered({ ...lea, id: null })]).toEqual([true, false]);
  client.setQueryData(queryKey, [{ id: 75, login: "lea75", depuis: 1 }]);
  expect(offered(lea)).toBe(false);
});

test("a row to be confirmed names its price as the cards do, and a missing condition; a missed one has no more to decide", () => {
  const client = new QueryClient();
  client.setQueryData(queries.blockedSellers.queryKey, []);
  const pageOf = (status: string, buys: boolean): string => {
    const manque = {
      ...aManque(1, true),
      product: aProduit({ status, brand_title: "Zara", size_title: "M" }),
    };
    const idle = { buyState: { kind: "idle" as const }, onBuy: () => undefined };
    const row = createElement(MissedRow, { Heading: "h4", manque, ...(buys ? idle : {}) });
    return renderToStaticMarkup(createElement(QueryClientProvider, { client }, row));
  };
  expect(pageOf("Bon état", true).split("hors livraison")).toHaveLength(2);
  expect(pageOf("Bon état", true)).toContain("Zara · M · Bon état");
  for (const absent of ["", " "]) expect(pageOf(absent, true)).toContain("Zara · M · N/A");
  expect(pageOf("Bon état", false)).not.toContain("hors livraison");
});
