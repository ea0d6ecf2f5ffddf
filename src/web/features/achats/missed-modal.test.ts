import { expect, test } from "vitest";
import type { Manque } from "#contract/achat.ts";
import { aProduit } from "#verify/testing/on-the-wire.ts";
import type { BuyState } from "../../ui/buying/buy.ts";
import { sortedMisses, withPressed } from "./missed-modal.tsx";

const eur = (amount: string) => ({ amount, currency_code: "EUR" });

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

/** What is known of the person's clicks, by listing. */
function clicks(states: Readonly<Record<number, BuyState>>, prices: Readonly<Record<number, string>> = {}) {
  return {
    stateOf: ({ id }: { readonly id: number }) => states[id] ?? { kind: "idle" as const },
    wasTried: (id: number) => id in states,
    newPriceOf: (id: number) => (prices[id] === undefined ? null : eur(prices[id])),
  };
}

const ids = (rows: readonly { readonly product: { readonly id: number } }[]) =>
  rows.map(({ product }) => product.id);

function sorted(manques: readonly Manque[], known: ReturnType<typeof clicks>) {
  const { toConfirm, missed } = sortedMisses(manques, known);
  return { toConfirm: ids(toConfirm.map(({ manque }) => manque)), missed: ids(missed) };
}

test("what waits for the person's word stands apart from what was missed", () => {
  const manques = [aManque(1, false), aManque(2, true), aManque(3, true)];
  expect(sorted(manques, clicks({}))).toEqual({ toConfirm: [2, 3], missed: [1] });
});

test("what is being bought stays where it was pressed; bought it is no miss, and gone it is one", () => {
  const manques = [aManque(1, true), aManque(2, true), aManque(3, true)];
  const states = clicks({
    1: { kind: "busy" },
    2: { kind: "bought" },
    3: { kind: "refused", reason: "Vendu.", isGone: true },
  });
  expect(sorted(manques, states)).toEqual({ toConfirm: [1], missed: [3] });
});

test("a click that bought nothing leaves its row, with the price that it was refused for", () => {
  // The failed attempt has taken the place of the question.
  const known = clicks(
    { 1: { kind: "refused", reason: "Le prix a augmenté.", isGone: false } },
    { 1: "15.00" },
  );
  const { toConfirm, missed } = sortedMisses([aManque(1, false)], known);
  expect(missed).toEqual([]);
  expect(toConfirm).toMatchObject([{ manque: { product: { total_item_price: eur("15.00") } } }]);
});

test("a pressed row keeps its place while its purchase begins, and tells what became of it", () => {
  const [first, second] = [aManque(1, true), aManque(2, true)];
  const pressed = new Map([[1, first]]);
  expect(withPressed([second], pressed)).toEqual([second, first]);
  const failed = { ...aManque(1, false), date: second.date + 99, raison: "Vendu." };
  expect(withPressed([failed, second], pressed)).toEqual([second, { ...failed, date: first.date }]);
});
