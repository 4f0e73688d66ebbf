/** Email addresses of accounts. */

/** Normalizes an address for storage and comparison. */
export function normalizeEmail(email: string): string {
  return email.trim().toLowerCase()
}

/** Returns the account if it has an email address. */
export function withEmail<A extends { readonly email: string | null }>(
  account: A,
): (A & { readonly email: string }) | undefined {
  const { email } = account
  return email === null ? undefined : { ...account, email }
}
