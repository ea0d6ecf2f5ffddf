import { calls } from "#contract/calls.ts";
import { newestFirst } from "#domain/match.ts";
import { presentProduitDuFlux } from "#presenters/produit.ts";
import { compressAnswer } from "../encodings.ts";
import type { HttpDeps } from "../http-deps.ts";
import { visitorOf, type App } from "../route-rule.ts";

export function addArticleRoutes(app: App, { config, store }: HttpDeps): void {
  app.route({
    method: calls.recentArticles.method,
    url: calls.recentArticles.path,
    schema: { querystring: calls.recentArticles.query, response: { 200: calls.recentArticles.answer } },
    config: { rule: { access: "subscriber", origin: "read", rate: "read", isInTurn: true } },
    // Sixty listings are 34 kB, for which a phone's first photos would wait. They hold only what the market shows.
    onSend: compressAnswer,
    handler: async (request) => {
      const { user } = visitorOf(request);
      const matches = await store.listings.recentMatches(user.id, request.query.limit);
      return {
        items: matches.toSorted(newestFirst).map((match) => presentProduitDuFlux(match, config.marketUrl)),
      };
    },
  });
}
