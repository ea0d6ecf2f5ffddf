import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { createElement, type ReactNode } from "react";
import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, test } from "vitest";
import type { Utilisateur } from "#contract/compte.ts";
import { ClosingSection } from "./closing-section.tsx";
import { Hero, LandingPage } from "./landing-page.tsx";
import { LegalPage } from "./legal/legal-page.tsx";
import { companyLinks, legalLinks } from "./legal/legal-pages.ts";
import { DaysText } from "./legal/legal-section.tsx";
import { KeptTimes } from "./legal/legal-texts.tsx";

/** The prerendered markup, with HTML entities decoded so that tests can compare texts. */
function drawn(page: ReactNode): string {
  return renderToStaticMarkup(createElement(QueryClientProvider, { client: new QueryClient() }, page))
    .replaceAll("&#x27;", "'")
    .replaceAll("&amp;", "&")
    .replaceAll("&quot;", '"');
}

const person: Utilisateur = {
  level: 0,
  picture: null,
  name: "Camille",
  email: "camille@example.org",
  plan: "none",
  fin: null,
};
const closingFor = (user: Utilisateur | null): string =>
  drawn(
    createElement(ClosingSection, {
      session: { user, isKnown: true, isSubscriber: (user?.level ?? 0) > 0 },
    }),
  );

describe("the landing page for a stranger", () => {
  const page = drawn(createElement(LandingPage));

  test("says the specification's words", () => {
    for (const words of [
      "Features",
      "Prix",
      "Create account",
      "Commencer",
      "Découvrir",
      "Explorer les Features",
      "plans à venir",
      "le plus populaire",
      "Rejoindre la file d'attente",
      "Rejoindre Dès Maintenant",
      "Paiements Sécurisés",
      "Principales Cartes bancaires acceptées",
    ]) {
      expect(page).toContain(words);
    }
  });

  test("leads to its own sections, and to the sign-in by a plain link", () => {
    for (const id of ["features", "prix", "login", "seeker", "clicker", "acquire", "thunder"]) {
      expect(page).toContain(`href="#${id}"`);
      expect(page.match(new RegExp(` id="${id}"`, "gu"))).toHaveLength(1);
    }
    expect(page).toContain('href="/auth/discord"');
  });

  test("shows the three plans at the catalogue's prices", () => {
    expect([...page.matchAll(/plan__amount[^>]*>(\d+)</gu)].map(([, amount]) => amount)).toEqual([
      "20",
      "60",
      "100",
    ]);
  });

  test("asks nothing of the content policy: no style attribute, no script, no outside address", () => {
    expect(page).not.toMatch(/ style="|<style|<script|javascript:|https?:\/\//u);
  });
});

test("the hero sends a subscriber to the panel, and everybody else to the prices", () => {
  const button = (isSubscriber: boolean): string => drawn(createElement(Hero, { isSubscriber }));
  expect(button(true)).toMatch(/href="\/synapse\/articles">Aller au Panel</u);
  expect(button(true)).not.toContain("Découvrir");
  expect(button(false)).toMatch(/href="#prix">Découvrir</u);
});

describe("the login section", () => {
  test("shows the place on the waiting list, and a sign-out button", () => {
    const waiting = closingFor({ ...person, waitlist: { rank: 12, total: 80 } });
    expect(waiting).toContain("Vous êtes 12ᵉ sur 80 dans la liste d'attente");
    expect(waiting).toMatch(
      /sans date promise\. Synapse n'envoie pas de mail\s: revenez ici, le Panel s'ouvre à/u,
    );
    expect(waiting).toContain("à votre prochaine visite dès que votre tour vient.");
    expect(waiting).toContain("Se déconnecter");
    expect(waiting).not.toContain("Rejoindre Dès Maintenant");
  });

  test("says so when an account has neither access nor place", () => {
    expect(closingFor({ ...person, plan: "acquire" })).toContain("n'a pas d'accès en ce moment");
  });

  test("shows a subscriber the way to the panel", () => {
    expect(closingFor({ ...person, level: 1, plan: "acquire" })).toContain('href="/synapse/articles"');
  });

  test("shows a stranger the sign-in", () => {
    expect(closingFor(null)).toMatch(/href="\/auth\/discord">Rejoindre Dès Maintenant</u);
  });

  test("shows a name as text, whatever it holds", () => {
    expect(closingFor({ ...person, name: "<img src=x onerror=alert(1)>" })).not.toContain("<img");
  });
});

test.each([...companyLinks, ...legalLinks])("$path has one title, real sections and the way back", (link) => {
  const page = drawn(createElement(LegalPage, { page: link.key }));
  expect(page).toContain(`<h1 class="landing-title legal__title">${link.title}</h1>`);
  expect(page.match(/<h1/gu)).toHaveLength(1);
  expect(page.match(/legal-section__title/gu)?.length ?? 0).toBeGreaterThan(1);
  expect(page).toContain('href="/#features"');
  expect(page).not.toMatch(/ style="|lorem|\[.*?\]|XXX|À compléter/iu);
});

test("the privacy page says what is kept, how long what was read of listings is, and that the seller is not kept as long", () => {
  const text = (page: ReactNode): string => drawn(page).replaceAll("\u00A0", " ");
  const listings = (time: string): string =>
    `Les annonces lues : vendeur et photo 24 heures ; les faits (type, marque, taille, état, couleur, prix, titre) ${time}, sans le vendeur.`;
  expect(text(createElement(LegalPage, { page: "privacy" }))).toContain(
    listings("le temps que l'exploitant a fixé"),
  );
  expect(text(createElement(LegalPage, { page: "privacy" }))).toContain("Vos alertes et vos appareils");
  const times = text(createElement(KeptTimes, { archiveDays: 7 }));
  for (const line of [
    listings("7 jours"),
    "Un achat manqué : l'annonce avec son vendeur et sa photo, 7 jours.",
    "La note, le nombre d'avis et le pays d'un vendeur : 2 jours.",
    "De quoi reconnaître un article republié (une empreinte du vendeur et de l'article, ses prix) : 30 jours.",
  ])
    expect(times).toContain(`<li>${line}</li>`);
  const time = [null, 1, 30, 90].map((days) => text(createElement(DaysText, { days })));
  expect(time).toEqual(["le temps que l'exploitant a fixé", "un jour", "30 jours", "90 jours"]);
});
