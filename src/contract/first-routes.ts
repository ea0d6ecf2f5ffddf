/** Routes that are called before, or without, the panel's code. */
export const firstRoutes = {
  user: { method: "GET", path: "/auth/user" },
  signOut: { method: "GET", path: "/auth/out" },
  recentArticles: { method: "GET", path: "/articles/recent" },
} as const;

/** Start of the sign-in: a navigation, not a call. */
export const SIGN_IN_PATH = "/auth/discord";
