import { addFilter, expect, signIn, test } from "./journey.ts";

// Filter: women's T-shirts (221) of Zara (12), size M (4), very good condition (2), at most 20 EUR in all.
const wanted = {
  title: "T-shirt rayé Zara",
  price: 15,
  brand_title: "Zara",
  size_title: "M",
  status: "Très bon état",
  catalog_id: 221,
};

test("a listing that matches reaches the page by itself, one that does not stays away", async ({
  page,
  market,
}) => {
  await signIn(page, "seeker-flux");
  await expect(page).toHaveURL(/\/synapse\/articles/);
  await addFilter(page, {
    tag: "T-shirts Zara",
    types: { ids: [221] },
    brands: { ids: [12] },
    sizes: { ids: [4] },
    status: { ids: [2] },
    limit: 20,
  });

  const refused = [
    { ...wanted, title: "Trop cher avec les frais", price: 19 },
    { ...wanted, title: "Autre marque", brand_title: "H&M" },
    { ...wanted, title: "Autre catégorie", catalog_id: 1806 },
    { ...wanted, title: "Autre taille", size_title: "XL" },
    { ...wanted, title: "Autre état", status: "Bon état" },
  ];
  for (const listing of refused) await market.publish(listing);
  await market.publish(wanted);

  const card = page.getByRole("article").filter({ hasText: wanted.title });
  await expect(card).toBeVisible();
  await expect(card).toContainText("16,45");
  await expect(card).toContainText("Zara");
  await expect(card.getByRole("button", { name: "Acheter" })).toBeEnabled();
  await expect(page.getByText("1 article trouvé sur Vinted")).toBeVisible();
  for (const { title } of refused) await expect(page.getByText(title)).toHaveCount(0);
});
