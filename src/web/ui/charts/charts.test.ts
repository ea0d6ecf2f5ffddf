import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { expect, test, vi } from "vitest";
import {
  coverageText,
  exampleText,
  formatDay,
  formatShortDay,
  pastText,
  requiredDaysText,
} from "./day-text.ts";
import { DayBars } from "./day-bars.tsx";
import { PriceRanges } from "./price-ranges.tsx";
import { formatPriceRange, scaleOf } from "./price-text.ts";

/** The cells of a drawn table, row by row. */
function cellsOf(chart: ReactNode): readonly (readonly string[])[] {
  const [table = ""] = /<table.*<\/table>/su.exec(renderToStaticMarkup(chart)) ?? [];
  return [...table.matchAll(/<tr>(.*?)<\/tr>/gsu)].map(([, row = ""]) =>
    [...row.matchAll(/<(th|td)[^>]*>(.*?)<\/\1>/gsu)].map(([, , cell = ""]) =>
      cell
        .replaceAll(/<[^>]+>/gu, " ")
        .replaceAll(/\s+/gu, " ")
        .trim(),
    ),
  );
}

test("a day is named as in Paris, whether it comes as a day or as a moment", () => {
  expect(formatDay("2026-11-03")).toBe("3 novembre");
  expect(formatDay("2026-12-01")).toBe("1er décembre");
  // Half past eleven in the evening in London is the next day in Paris.
  expect(formatDay(Date.parse("2026-11-03T23:30:00Z"))).toBe("4 novembre");
  expect(formatShortDay("2026-11-11").replace("\u00A0", " ")).toBe("11 nov.");
});

test("the coverage says since when and on how many days, and where it is made up", () => {
  const couverture = {
    depuis: Date.parse("2026-11-03T08:00:00Z"),
    jours: 19,
    exemple: true,
    exemple_jusqu_au: "2026-11-24",
  };
  expect(coverageText(couverture, 30)).toBe("Vu depuis le 3 novembre (19 jours sur 30)");
  expect(exampleText(couverture)).toBe("Historique d'exemple jusqu'au 24 novembre");
  const never = { depuis: null, jours: 0, exemple: false, exemple_jusqu_au: null };
  expect(coverageText(never, 30)).toBeNull();
  expect(exampleText(never)).toBeNull();
});

/** Writes settings into the document like the server. */
function write(settings: Readonly<Record<string, string>>): void {
  vi.stubGlobal("document", {
    querySelector: (selector: string) => {
      const content = settings[/^meta\[name="(.+)"\]$/u.exec(selector)?.[1] ?? ""];
      return content === undefined ? null : { getAttribute: () => content };
    },
  });
}

test("the days of the past that is shown, and those that a price must be known, are the installation's", () => {
  const texts = (settings: Readonly<Record<string, string>>): readonly string[] => {
    write(settings);
    return [pastText("Sur"), requiredDaysText()];
  };
  const usual = { "archive-days": "30", "price-days": "7" };
  expect(texts(usual)).toEqual(["Sur 30 jours", ", vues sur 7 jours"]);
  expect(texts({ "archive-days": "90", "price-days": "3" })).toEqual(["Sur 30 jours", ", vues sur 3 jours"]);
  expect(texts({ "archive-days": "7", "price-days": "1" })).toEqual(["Sur 7 jours", ", vues sur 1 jour"]);
  expect(texts({ "archive-days": "1", "price-days": "0" })).toEqual(["Sur 1 jour", ""]);
  // A document without a server.
  for (const none of [{}, { "archive-days": "__ARCHIVE_DAYS__", "price-days": "__PRICE_DAYS__" }])
    expect(texts(none)).toEqual(["Sur 30 jours", ""]);
  vi.unstubAllGlobals();
});

const articles = { one: "article", many: "articles" };
const purchases = { one: "achat", many: "achats" };

test("the bars of days say each of their values in a table", () => {
  const days = [
    { day: "2026-11-03", count: 0 },
    { day: "2026-11-04", count: 12, part: 3, note: "52 €" },
    { day: "2026-11-05", count: 0, part: 0 },
  ];
  const chart = createElement(DayBars, {
    caption: "Articles par jour",
    days,
    counted: articles,
    parts: purchases,
    noted: "prix médian",
  });
  expect(cellsOf(chart)).toEqual([
    ["Jour", "articles", "achats", "prix médian"],
    ["3 novembre", "0", "0", "inconnu"],
    ["4 novembre", "12", "3", "52 €"],
    ["5 novembre", "0", "0", "inconnu"],
  ]);
});

test("the fullest day fills the plot, a day with one article is still seen, a day without is not", () => {
  const days = [100, 1, 0].map((count, index) => ({ day: `2026-11-0${index + 1}`, count }));
  const drawn = renderToStaticMarkup(
    createElement(DayBars, { caption: "Par jour", days, counted: articles }),
  );
  const heights = [...drawn.matchAll(/class="day-bars__count"[^>]* height="(\d+)"/gu)].map(([, height]) =>
    Number(height),
  );
  expect(heights[0]).toBeGreaterThan(90);
  expect(heights[1]).toBeGreaterThanOrEqual(3);
  expect(heights[2]).toBe(0);
});

test("days without anything are said in words", () => {
  const days = [{ day: "2026-11-03", count: 0 }];
  const drawn = renderToStaticMarkup(
    createElement(DayBars, { caption: "Par jour", days, counted: articles }),
  );
  expect(drawn).toContain("Rien sur cette période.");
});

test("price ranges share one scale and say range, median and count in words", () => {
  const rows = [
    { key: 6, label: "Neuf avec étiquette", count: 312, range: { low: 45.2, median: 52, high: 60.4 } },
    { key: 4, label: "Satisfaisant", count: 3, range: null },
  ];
  const chart = createElement(PriceRanges, { caption: "Prix par état", rowTitle: "État", rows });
  expect(cellsOf(chart)).toEqual([
    ["État", "0 80 €", "Prix demandés"],
    ["Neuf avec étiquette", "", "45–60 € médiane 52 €, 312 annonces"],
    ["Satisfaisant", "", "— 3 annonces"],
  ]);
});

test("a scale ends at a round number that no price exceeds", () => {
  expect([0, 0.4, 7, 60.4, 80, 81, 1_240].map((price) => scaleOf([price]))).toEqual([
    1, 1, 8, 80, 80, 100, 1_500,
  ]);
});

test("cents are said of small prices only", () => {
  expect(formatPriceRange({ low: 4.5, high: 6 }).replace("\u00A0", " ")).toBe("4,50–6 €");
  expect(formatPriceRange({ low: 45.2, high: 60.4 }).replace("\u00A0", " ")).toBe("45–60 €");
  expect(formatPriceRange({ low: 60, high: 60.2 }).replace("\u00A0", " ")).toBe("60 €");
});
