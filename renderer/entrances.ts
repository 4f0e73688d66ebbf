/** Ways in, also for somebody who is signed in and adds an account. */
export const entrances = { signIn: '/sign-in', create: '/create', reset: '/reset' } as const

export function isEntrance(path: string): boolean {
  return Object.values<string>(entrances).includes(path)
}
