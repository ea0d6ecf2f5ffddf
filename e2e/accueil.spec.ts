import { drawn, expect, signIn, test } from "./journey.ts";

test("the landing page leads a stranger to the plans and to the sign-in, with the keyboard alone", async ({
  page,
}) => {
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.goto("/");
  // The articles of the preview show their age.
  await expect(page.getByText(/^(il y a \d+\ss|à l'instant)$/).first()).toBeVisible();
  await expect(page.getByText("date inconnue")).toHaveCount(0);
  const header = page.getByRole("banner");
  for (const [name, target] of [
    ["Features", "#features"],
    ["Prix", "#prix"],
    ["Create account", "#login"],
  ] as const)
    await expect(header.getByRole("link", { name })).toHaveAttribute("href", target);

  // Solid beyond 10 px, transparent again above.
  await expect(header).not.toHaveAttribute("data-solid");
  await page.evaluate("scrollTo(0, 10)");
  await expect(header).not.toHaveAttribute("data-solid");
  await page.evaluate("scrollTo(0, 11)");
  await expect(header).toHaveAttribute("data-solid");
  await page.evaluate("scrollTo(0, 0)");
  await expect(header).not.toHaveAttribute("data-solid");

  await page.keyboard.press("Tab");
  await expect(page.getByRole("link", { name: "Aller au contenu" })).toBeFocused();
  await expect(page.getByRole("link", { name: "Explorer les Features" })).toHaveAttribute(
    "href",
    "#features",
  );
  const discover = page.getByRole("link", { name: "Découvrir" });
  await discover.focus();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/#prix$/);
  await expect(page.getByRole("heading", { name: "plans à venir" })).toBeInViewport();

  const teasers = page
    .getByRole("region", { name: "Chercher. Cliquer. Laisser faire." })
    .getByRole("article");
  for (const name of ["Seeker", "Clicker", "Thunder & Acquire"])
    await expect(teasers.getByRole("heading", { name })).toBeVisible();
  const plans = page.getByRole("region", { name: "plans à venir" }).getByRole("listitem");
  await expect(plans.filter({ hasText: "60 EUR par mois" })).toContainText("le plus populaire");
  await expect(
    plans.filter({ hasText: "100 EUR par mois" }).getByRole("link", { name: "Rejoindre la file d'attente" }),
  ).toBeVisible();
  await expect(page.getByRole("link", { name: "Rejoindre Dès Maintenant" })).toHaveAttribute(
    "href",
    "/auth/discord",
  );
});

test.describe("without its code", () => {
  test.use({ javaScriptEnabled: false });

  test("the landing page can be read, and leads to the sign-in", async ({ page }) => {
    await page.goto("/");
    await expect(page.getByRole("heading", { level: 1 })).toHaveText("La bonne pièce n'attend pas");
    for (const name of ["Chercher. Cliquer. Laisser faire.", "plans à venir"])
      await expect(page.getByRole("region", { name })).toBeVisible();
    await expect(page.getByRole("link", { name: "Rejoindre Dès Maintenant" })).toHaveAttribute(
      "href",
      "/auth/discord",
    );
  });
});

test("the landing page is shown in the chosen colours while its code loads, which then takes over what is there", async ({
  page,
}) => {
  await page.emulateMedia({ colorScheme: "light" });
  await page.addInitScript("localStorage.setItem('synapse.apparence', 'dark')");
  const failures: string[] = [];
  page.on("console", (message) => {
    if (message.type() !== "log") failures.push(message.text());
  });
  const code = Promise.withResolvers<void>();
  await page.route(/\/assets\/index-.*\.js$/, async (route) => {
    await code.promise;
    await route.continue();
  });
  await page.goto("/", { waitUntil: "commit" });
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await page.evaluate("document.querySelector('h1').dataset.first = ''");
  await page.setViewportSize({ width: 390, height: 800 });
  const menu = page.getByRole("dialog", { name: "Menu" });
  await page.getByRole("button", { name: "Ouvrir le menu" }).click();
  await menu.getByRole("button", { name: "Fermer le menu" }).click();
  await expect(menu).toHaveCount(0);
  await page.getByRole("button", { name: "Ouvrir le menu" }).click();
  await expect(menu).toBeVisible();
  code.resolve();
  await page.waitForLoadState();
  await drawn(page);
  await expect(menu).toBeVisible();
  await menu.getByRole("link", { name: "Commencer" }).click();
  await expect(menu).toHaveCount(0);
  await expect(page.locator("h1[data-first]")).toHaveCount(1);
  expect(failures).toEqual([]);
});

test("public pages follow the system's colours while they are open", async ({ page }) => {
  for (const path of ["/", "/conditions"]) {
    await page.emulateMedia({ colorScheme: "dark" });
    await page.goto(path);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await expect(page.locator("body")).toHaveCSS("background-color", "rgb(11, 13, 12)");
    await page.emulateMedia({ colorScheme: "light" });
    await expect(page.locator("body")).toHaveCSS("background-color", "rgb(243, 244, 238)");
  }
});

test("a link into the page leads exactly there, also from another page", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  const topOf = async (id: string): Promise<number> => (await page.locator(id).boundingBox())?.y ?? NaN;
  // A slow phone, on which the sections below the first screen are laid out late.
  await page.addInitScript(`
    const repeat = window.setInterval;
    window.setInterval = (act, ms = 300) => repeat(act, ms);
  `);
  await page.goto("/");
  await page.getByRole("link", { name: "Découvrir" }).click();
  await expect.poll(() => topOf("#prix")).toBeCloseTo(4, 0);
  for (const [id, top] of [
    ["#login", 0],
    ["#thunder", 76],
  ] as const) {
    await page.goto("/conditions");
    await page.goto(`/${id}`);
    await expect.poll(() => topOf(id)).toBeCloseTo(top, 0);
  }
});

test("'Create account' leads to a button in sight, on a low screen and on a phone", async ({ page }) => {
  for (const viewport of [
    { width: 1_280, height: 720 },
    { width: 320, height: 640 },
  ]) {
    await page.setViewportSize(viewport);
    await page.goto("/conditions");
    await page.goto("/#login");
    const join = page.getByRole("link", { name: "Rejoindre Dès Maintenant" });
    await expect(join).toBeInViewport({ ratio: 1 });
  }
});

test("every link of the footer leads to a page of its own", async ({ page }) => {
  await page.goto("/");
  const footer = page.getByRole("contentinfo");
  await expect(footer).toContainText("Paiements Sécurisés");
  await expect(footer).toContainText("Principales Cartes bancaires acceptées");
  await expect(footer.getByRole("link", { name: /@/ })).toHaveAttribute("href", /^mailto:/);
  for (const name of ["Seeker", "Clicker", "Acquire", "Thunder"])
    await expect(footer.getByRole("link", { name })).toHaveAttribute("href", `#${name.toLowerCase()}`);
  for (const name of ["About", "Blog", "Careers", "Contact", "Terms", "Privacy", "Cookies", "GDPR"]) {
    await footer.getByRole("link", { name }).click();
    await expect(page).not.toHaveURL(/\/$/);
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
    await page.goto("/");
  }
});

test("on a phone the menu opens, ends with 'Commencer' and closes", async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto("/");
  await page.getByRole("button", { name: "Ouvrir le menu" }).click();
  const menu = page.getByRole("dialog", { name: "Menu" });
  await expect(menu.getByRole("link").last()).toHaveText("Commencer");
  await page.keyboard.press("Escape");
  await expect(menu).toHaveCount(0);
  await expect(page.getByRole("button", { name: "Ouvrir le menu" })).toBeFocused();
  await page.getByRole("button", { name: "Ouvrir le menu" }).click();
  await menu.getByRole("link", { name: "Commencer" }).click();
  await expect(page).toHaveURL(/#login$/);
  await expect(menu).toHaveCount(0);
});

test("somebody at level 0 reads their rank, a subscriber finds the way to the panel", async ({ page }) => {
  await signIn(page, "nouvelle-rang");
  const rank = /Vous êtes \d+\S* sur \d+ dans la liste d'attente/;
  await expect(page.getByRole("banner").getByRole("link", { name: rank })).toBeVisible();
  await expect(page.locator("#login").getByText(rank)).toBeVisible();
  await page.context().clearCookies();
  await signIn(page, "seeker-accueil");
  await expect(page).toHaveURL(/\/synapse\/articles/);
  const questions: string[] = [];
  page.on("dialog", (dialog) => {
    questions.push(dialog.message());
    void dialog.dismiss();
  });
  await page.goto("/");
  await expect(
    page.getByRole("region", { name: /bonne pièce/ }).getByRole("link", { name: "Aller au Panel" }),
  ).toHaveAttribute("href", "/synapse/articles");
  await expect.poll(() => questions).toHaveLength(1);
  await page.goto("/#features");
  await page.reload();
  await expect.poll(() => questions).toEqual(["Aller au Synapse ?", "Aller au Synapse ?"]);
});

test("a sign-in of which the browser kept nothing says what to do", async ({ page }) => {
  await page.goto("/");
  await page.getByRole("link", { name: "Rejoindre Dès Maintenant" }).click();
  await page.waitForURL(/\/discord\/oauth2\/authorize/);
  // The target of a successful sign-in, without its cookie.
  await page.goto("/synapse/articles");
  await expect(page.getByRole("alert").filter({ hasText: "cookies" })).toBeVisible();
  await expect(page).toHaveURL(/#login$/);
  await page.reload();
  await expect(page.getByRole("alert").filter({ hasText: "cookies" })).toHaveCount(0);
});
