/** Paths of sign-in, sign-up, password reset and bringing an account. Also reachable with a session, to add an account. */
export const entrances = {
  signIn: '/sign-in',
  create: '/create',
  reset: '/reset',
  moveIn: '/move-in',
  restore: '/restore',
} as const

export function isEntrance(path: string): boolean {
  return Object.values<string>(entrances).includes(path)
}
