/** Paths of sign-in, sign-up and password reset. Also reachable with a session, to add an account. */
export const entrances = { signIn: '/sign-in', create: '/create', reset: '/reset' } as const

export function isEntrance(path: string): boolean {
  return Object.values<string>(entrances).includes(path)
}
