import { expect, test } from "vitest";
import type { Achat } from "#contract/achat.ts";
import { anAchat, aProduit } from "#verify/testing/on-the-wire.ts";
import { purchasesCsv } from "./purchases-csv.ts";

const titled = (title: string, traits: Partial<Achat> = {}): Achat =>
  anAchat({ product: aProduit({ title }), total: { amount: "13.20", currency_code: "EUR" }, ...traits });

const tags = new Map([["f1", "Robes; d'été"]]);

/** The title's cell, as written in the file. */
function titleCell(title: string): string | undefined {
  return /clic;(.*);Zara/su.exec(purchasesCsv([titled(title)], tags))?.[1];
}

test("the file opens in a French spreadsheet: mark, semicolons, decimal commas, one line each", () => {
  const text = purchasesCsv([titled("Robe")], tags);
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
  const text = purchasesCsv([titled("Robe", { total: null, id_transaction: null, source: "externe" })], tags);
  expect(text).toContain(";10,50;;EUR;;;");
  expect(text).toContain("Hors Synapse");
  const late = titled("Robe", { source: "externe", filtre: "f1" });
  expect(purchasesCsv([late], tags)).toContain(";Confirmé après coup;Robe;");
});

test("only a confirmed purchase has a paid total", () => {
  expect(purchasesCsv([titled("Robe", { status: 0 })], tags)).toContain(";10,50;;EUR;");
  expect(purchasesCsv([titled("Robe", { status: 2 })], tags)).toContain(";10,50;;EUR;");
  expect(purchasesCsv([titled("Robe", { simulation: true })], tags)).toContain(";10,50;;EUR;");
});

test("a simulation is marked as such", () => {
  expect(purchasesCsv([titled("Robe", { simulation: true })], tags)).toContain(";Confirmé;Simulation;Robe;");
});

test("the filter that bought is named, or marked as deleted", () => {
  expect(purchasesCsv([titled("Robe", { filtre: "f1" })], tags)).toContain(`;"Robes; d'été";https:`);
  expect(purchasesCsv([titled("Robe", { filtre: "f2" })], tags)).toContain(";Filtre supprimé;https:");
  expect(purchasesCsv([titled("Robe", { filtre: "f2" })], null), "filters that could not be read").toContain(
    ";;https:",
  );
});

test("thousands of purchases are a line each", () => {
  const purchases = Array.from({ length: 2_500 }, (_, index) => titled(`Robe ${index}`));
  expect(purchasesCsv(purchases, tags).trimEnd().split("\r\n")).toHaveLength(2_501);
});
