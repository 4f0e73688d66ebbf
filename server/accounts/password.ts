/** What a main password must be like. */

/** 8 to 256 characters. Length is what makes a password strong, so nothing else is asked (NIST SP 800-63B §3.1.1). */
export function passwordProblem(password: string): string | undefined {
  const { length } = [...password]
  if (length < 8) return 'A password needs at least 8 characters'
  return length > 256 ? 'A password may have 256 characters at most' : undefined
}
