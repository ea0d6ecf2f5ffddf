import { expect, test } from "vitest";
import type { Achat } from "#contract/achat.ts";
import { purchasesCsv } from "./purchases-csv.ts";

function anAchat(title: string, changes: Partial<Achat> = {}): Achat {
  return {
    _id: "p1",
    id_transaction: 7,
    status: 1,
    purchase_date: 100,
    purchase_confirmation: null,
    product: {
      id: 1,
      title,
      photo: null,
      brand_title: "Zara",
      total_item_price: { amount: "10.50", currency_code: "EUR" },
      size_title: "M",
      status: "Bon état",
      path: "/items/1",
      url: "https://market.example/items/1",
      user: { login: "lea", photo: null },
    },
    source: "clic",
    filtre: null,
    total: { amount: "13.20", currency_code: "EUR" },
    raison: null,
    ...changes,
  };
}

const tags = new Map([["f1", "Robes; d'été"]]);

/** The title's cell, as it stands in the file. */
function titleCell(title: string): string | undefined {
  return /clic;(.*);Zara/su.exec(purchasesCsv([anAchat(title)], tags))?.[1];
}

test("the file opens in a French spreadsheet: mark, semicolons, decimal commas, one line each", () => {
  const text = purchasesCsv([anAchat("Robe")], tags);
  expect(text.startsWith("\uFEFFDate;Statut;")).toBe(true);
  const lines = text.split("\r\n");
  expect(lines).toHaveLength(3);
  expect(lines[1]).toMatch(/;Confirmé;En un clic;Robe;Zara;M;Bon état;lea;10,50;13,20;EUR;7;;;https:/u);
});

test("what a seller writes is never a formula", () => {
  for (const title of ["=1+1", "+33", "-2+3", "@SUM(A1)", "\t=1", " =1", "\r=1"])
    expect(titleCell(title), title).toBe(`"'${title}"`);
  expect(titleCell("12-14 ans")).toBe("12-14 ans");
  expect(titleCell("-5,50"), "a number is none").toBe("-5,50");
});

test("separators, quotes and line breaks stay inside their cell", () => {
  expect(titleCell('Robe "été"; taille M')).toBe('"Robe ""été""; taille M"');
  expect(titleCell("deux\nlignes")).toBe('"deux\nlignes"');
});

test("what is not known is empty, an amount that cannot be read stays as it came", () => {
  const text = purchasesCsv(
    [anAchat("Robe", { total: null, id_transaction: null, source: "externe" })],
    tags,
  );
  expect(text).toContain(";10,50;;EUR;;;");
  expect(text).toContain("Hors Synapse");
});

test("a rehearsal is told from a purchase", () => {
  expect(purchasesCsv([anAchat("Robe", { simulation: true })], tags)).toContain(";Confirmé;Simulation;Robe;");
});

test("the filter that bought is named, one that is gone is told as such", () => {
  expect(purchasesCsv([anAchat("Robe", { filtre: "f1" })], tags)).toContain(`;"Robes; d'été";https:`);
  expect(purchasesCsv([anAchat("Robe", { filtre: "f2" })], tags)).toContain(";Filtre supprimé;https:");
});

test("thousands of purchases are a line each", () => {
  const purchases = Array.from({ length: 2_500 }, (_, index) => anAchat(`Robe ${index}`));
  expect(purchasesCsv(purchases, tags).trimEnd().split("\r\n")).toHaveLength(2_501);
});
