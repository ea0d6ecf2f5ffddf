import { expect, test } from "vitest";
import { filtreFichier } from "#contract/filtres/fichier.ts";
import { chosenAtFirst, parseFilterFile, stateText } from "./filter-file.ts";

const text = (fields: object) =>
  JSON.stringify({ format: "synapse-filtres", version: 1, filtres: [{}], ...fields });
const problemOf = (content: string) => {
  const read = parseFilterFile(content);
  return read.kind === "problem" ? read.text : null;
};

test("an export is taken as it is", () => {
  const groupes = [{ nom: "G", filtres: [0] }];
  expect(parseFilterFile(text({ groupes }))).toEqual({
    kind: "file",
    file: { format: "synapse-filtres", version: 1, filtres: [{}], groupes },
  });
});

test("whatever else is chosen is named", () => {
  for (const content of [
    "",
    "{",
    "null",
    "[]",
    "3",
    "{}",
    text({ format: "x" }),
    text({ filtres: 3 }),
    text({ filtres: [1] }),
  ])
    expect(problemOf(content)).toBe("Ce fichier n'est pas un export de filtres Synapse.");
  expect(problemOf(text({ version: 2 }))).toContain("autre version");
  expect(problemOf(text({ filtres: [] }))).toContain("aucun filtre");
  expect(problemOf(text({ filtres: Array.from({ length: 201 }, () => ({})) }))).toContain("200");
  expect(problemOf(text({ autre: "é".repeat(300_000) }))).toContain("512 Ko");
});

test("at first all are chosen that are neither there already nor bad", () => {
  const entry = (index: number, etat: "nouveau" | "identique" | "different", error?: string) => ({
    index,
    tag: "T",
    etat,
    differences: [],
    ...(error === undefined ? {} : { error }),
  });
  const entries = [
    entry(0, "identique"),
    entry(1, "nouveau"),
    entry(2, "different"),
    entry(3, "nouveau", "Mauvais."),
  ];
  expect(chosenAtFirst(entries)).toEqual([1, 2]);
});

test("says in words how a filter differs: every field has its French name", () => {
  const compared = Object.keys(filtreFichier.shape).filter((field) => field !== "tag" && field !== "private");
  const said = stateText({ index: 0, tag: "T", etat: "different", differences: compared });
  for (const part of said.replace("Différent du vôtre : ", "").split(", ")) {
    if (part !== "types" && part !== "simulation")
      expect(compared.filter((field) => field === part && field !== "vendeur")).toEqual([]);
  }
  expect(stateText({ index: 0, tag: "T", etat: "different", differences: ["limit", "mots"] })).toBe(
    "Différent du vôtre : limite de prix, mots à contenir",
  );
  expect(stateText({ index: 0, tag: "T", etat: "nouveau", differences: [], error: "Mauvais." })).toBe(
    "Mauvais.",
  );
});
