/**
 * The birth date in the private preferences of an account. Apps of the network decide by it what they show, and refuse app
 * passwords of accounts without one.
 */
import { app } from '../../lexicons/generated/index.ts'
import { type Body, callAs } from './client.ts'

const { getPreferences, putPreferences } = app.example.actor
const type = 'app.example.actor.defs#personalDetailsPref'

type Preferences = Body<typeof getPreferences.main>['preferences']

/** Returns the date as YYYY-MM-DD; undefined if there is none. */
export function birthDateIn(preferences: Preferences): string | undefined {
  const birthDate = preferences.find(({ $type }) => $type === type)?.birthDate
  return typeof birthDate === 'string' ? birthDate.slice(0, 'YYYY-MM-DD'.length) : undefined
}

/** Stores the date beside the other preferences. @param date YYYY-MM-DD */
export async function putBirthDate(did: string, date: string): Promise<void> {
  const { preferences } = await callAs(did, getPreferences, {})
  const others = preferences.filter(({ $type }) => $type !== type)
  const details = { $type: type, birthDate: `${date}T00:00:00.000Z` }
  await callAs(did, putPreferences, { body: { preferences: [...others, details] } })
}
