/** Email addresses of accounts. */

/** As addresses are stored and compared. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** The account, when it has an address that mail can be sent to. */
export function withEmail<A extends { readonly email: string | null }>(
  account: A,
): (A & { readonly email: string }) | undefined {
  const { email } = account
  return email === null ? undefined : { ...account, email }
}
