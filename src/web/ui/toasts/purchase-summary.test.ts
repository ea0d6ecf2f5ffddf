import { expect, test } from "vitest";
import type { NewsKind, PurchaseNews } from "./purchase-news.ts";
import { headingOf, sortedNews } from "./purchase-summary.tsx";

function aNews(id: string, kind: NewsKind): PurchaseNews {
  return {
    id,
    listingId: 1,
    kind,
    text: "",
    title: "Robe",
    photo: null,
    price: { amount: "26.95", currency_code: "EUR" },
    confirmationUrl: null,
    deadlineS: null,
    boughtBy: null,
  };
}

test("several purchases are one heading, in which what asks something of the person comes first", () => {
  const three = ["a", "b", "c"].map((id) => aNews(id, "confirmed"));
  expect(headingOf(three)).toBe("3 achats confirmés");
  expect(headingOf([...three, aNews("d", "awaiting")])).toBe("1 achat à confirmer, 3 achats confirmés");
  expect(headingOf([aNews("a", "cancelled"), aNews("b", "unknown"), aNews("c", "cancelled")])).toBe(
    "1 achat à vérifier, 2 achats annulés",
  );
});

test("the lines stand in the order of the heading, each kind as it came", () => {
  const news = [aNews("a", "confirmed"), aNews("b", "awaiting"), aNews("c", "confirmed")];
  expect(sortedNews(news).map(({ id }) => id)).toEqual(["b", "a", "c"]);
});
