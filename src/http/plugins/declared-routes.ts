/** The declared addresses and their methods, to distinguish a wrong method (405) from a wrong address (404). */
import type { App } from "../route-rule.ts";

/** Methods by path; a path that ends in "*" stands for all that begin with it. */
export type DeclaredRoutes = ReadonlyMap<string, readonly string[]>;

declare module "fastify" {
  interface FastifyInstance {
    readonly declaredRoutes: DeclaredRoutes;
  }
}

/** Collects every route declared after it; a route without a rule stops the start. */
export function declareRoutes(app: App): DeclaredRoutes {
  const declared = new Map<string, readonly string[]>();
  app.addHook("onRoute", (route) => {
    if (route.config?.rule === undefined) throw new Error(`the route ${route.url} has no rule`);
    const methods = Array.isArray(route.method) ? route.method : [route.method];
    declared.set(route.url, [...(declared.get(route.url) ?? []), ...methods]);
  });
  app.decorate("declaredRoutes", declared);
  return declared;
}

/** The methods of an address; none when it does not exist. */
export function allowedMethods(declared: DeclaredRoutes, path: string): readonly string[] {
  const exact = declared.get(path);
  if (exact !== undefined) return exact;
  for (const [url, methods] of declared) {
    if (url.endsWith("*") && path.startsWith(url.slice(0, -1))) return methods;
  }
  return [];
}
