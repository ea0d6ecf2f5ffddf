/** The port of the purchase engine to the store: rows, budgets and the ledger of money. */
// oxlint-disable-next-line typescript/no-empty-object-type
export interface PurchaseStore {}
