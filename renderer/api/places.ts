/** Places of the continuous copies, which the owner adds and removes on the computer of the server. */
import type { PlaceInput, PlaceProblems } from '../../electron/ground/bridge.ts'
import { com } from '../../lexicons/generated/index.ts'
import { type Body, callAs } from './client.ts'
import type { Proof } from './passkeys.ts'
import { untilAnswer } from './restarts.ts'

const { addCopyPlace, getCopies, getRecoverySheet, removeCopyPlace } = com.core.admin

export type RecoverySheet = Body<typeof getRecoverySheet.main>

/** Adds a place, or gives a known one a new password. The server has started again when it resolves. @returns the problems of its fields */
export async function addPlace(
  did: string,
  place: PlaceInput,
  proof: Proof,
  sameDisk: boolean,
): Promise<PlaceProblems> {
  const body = { place, sameDisk, ...proof }
  const { problems, url } = await callAs(did, addCopyPlace, { body })
  if (url !== undefined) {
    await untilAnswer(
      () => urlsOf(did),
      (urls) => urls.includes(url),
    )
  }
  return Object.fromEntries(problems.map(({ field, problem }) => [field, problem]))
}

/** Stops copying to a place. The server has started again when it resolves. */
export async function removePlace(did: string, url: string): Promise<void> {
  await callAs(did, removeCopyPlace, { body: { url } })
  await untilAnswer(
    () => urlsOf(did),
    (urls) => !urls.includes(url),
  )
}

export function readSheet(did: string, proof: Proof): Promise<RecoverySheet> {
  return callAs(did, getRecoverySheet, { body: proof })
}

async function urlsOf(did: string): Promise<readonly string[]> {
  const { places } = await callAs(did, getCopies, {})
  return places.map(({ url }) => url)
}
