/** The routes of the calls that are made before the panel's code is there, or outside of it. */
export const firstRoutes = {
  user: { method: "GET", path: "/auth/user" },
  signOut: { method: "GET", path: "/auth/out" },
  recentArticles: { method: "GET", path: "/articles/recent" },
} as const;

/** Where the sign-in begins: a plain navigation, no call. */
export const SIGN_IN_PATH = "/auth/discord";
