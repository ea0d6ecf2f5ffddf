/** Method and path of every call of the product's own pages (specification §7). */
export const routes = {
  user: { method: "GET", path: "/auth/user" },
  signOut: { method: "GET", path: "/auth/out" },
  keepAlive: { method: "POST", path: "/auth/keepalive" },
  sessions: { method: "GET", path: "/auth/sessions" },
  endSessions: { method: "POST", path: "/auth/sessions/end" },
  deleteAccount: { method: "POST", path: "/auth/delete" },
  state: { method: "GET", path: "/vinted/etat" },
  filters: { method: "GET", path: "/filtres/get" },
  addFilter: { method: "POST", path: "/filtres/add" },
  editFilter: { method: "POST", path: "/filtres/edit" },
  deleteFilters: { method: "POST", path: "/filtres/delete" },
  publicFilters: { method: "GET", path: "/filtres/publics" },
  previewFilter: { method: "POST", path: "/filtres/apercu" },
  copyFilter: { method: "POST", path: "/filtres/copy" },
  settings: { method: "GET", path: "/vinted/get" },
  token: { method: "GET", path: "/vinted/token" },
  editSettings: { method: "POST", path: "/vinted/edit" },
  alerts: { method: "GET", path: "/vinted/alertes" },
  editAlerts: { method: "POST", path: "/vinted/alertes" },
  testAlert: { method: "POST", path: "/vinted/alertes/essai" },
  purchases: { method: "GET", path: "/vinted/purchases" },
  cancelPurchase: { method: "POST", path: "/vinted/cancel" },
  clickPurchase: { method: "POST", path: "/purchase/click" },
  hidePurchases: { method: "GET", path: "/purchase/delete" },
  purchaseStory: { method: "GET", path: "/purchase/recit" },
  missedPurchases: { method: "GET", path: "/purchase/manques" },
  purchaseSummary: { method: "GET", path: "/purchase/bilan" },
  recentArticles: { method: "GET", path: "/articles/recent" },
} as const;

/** Where the sign-in begins: a plain navigation, no call. */
export const SIGN_IN_PATH = "/auth/discord";
