/**
 * The preferences that clients of the application store for an account. They are stored under the names of the network, with all
 * members: clients read the whole array, change it and put the whole of it back.
 */
import type { LexMap } from '@atproto/lex-data'
import type { Names } from '../../platform/config/aliases.ts'
import type { Platform } from '../../platform/platform.ts'
import { protocolError } from '../../platform/xrpc/xrpc-errors.ts'
import { requireWriter } from '../../repository/access/writer.ts'
import { renameRecord } from '../../repository/records/rename.ts'
import type { Reader, Writer } from '../../store/database.ts'
import { instant } from '../../util/time.ts'
import * as table from '../tables/actor-preferences.ts'

type Deps = Pick<Platform, 'names' | 'now'>

/** The session that reads or writes preferences. */
interface Session {
  readonly did: string
  /** Whether it was opened with the main password, also of a taken-down account. */
  readonly isFull: boolean
}

type Preference = LexMap & { readonly $type: string }

const namespace = 'app.example.'
const personalDetails = 'app.example.actor.defs#personalDetailsPref'
const declaredAge = 'app.example.actor.defs#declaredAgePref'

/** Returns the preferences that a session may read, with the age limits that follow from the date of birth. */
export function actorPreferences({ names, now }: Deps, db: Reader, { did, isFull }: Session): Preference[] {
  const stored = readStored(names, db, did)
  const isPersonal = hasType(personalDetails, names)
  const details = stored.find((preference) => isPersonal(preference) && birthDateOf(preference))
  const visible = isFull ? stored : stored.filter((preference) => !isPersonal(preference))
  return details ? [...visible, declaredAgeOf(details, now())] : visible
}

/**
 * Replaces the preferences of an account; only a full session changes its personal details.
 * @throws AccountNotFound; InvalidRequest, also if a move has stopped the writes of the account
 */
export function replaceActorPreferences(
  { names }: Pick<Deps, 'names'>,
  tx: Writer,
  { did, isFull }: Session,
  preferences: readonly LexMap[],
): void {
  requireWriter(tx, did)
  const isPersonal = hasType(personalDetails, names)
  const isReadOnly = hasType(declaredAge, names)
  const sent = preferences
    .map((preference) => checked(names, preference))
    .filter((preference) => !isReadOnly(preference))
  if (!isFull && sent.some(isPersonal)) {
    throw protocolError('InvalidRequest', 'App passwords cannot change personalDetailsPref')
  }
  const kept = isFull ? [] : readStored(names, tx, did).filter(isPersonal)
  table.put(tx, did, JSON.stringify([...sent, ...kept]))
}

function readStored(names: Names, db: Reader, did: string): Preference[] {
  const preferences: Preference[] = JSON.parse(table.find(db, did) ?? '[]')
  // The aliases may have changed since.
  return preferences.map((preference) => renameRecord(preference, names, names.stored))
}

function checked(names: Names, preference: LexMap): Preference {
  const { $type } = preference
  if (typeof $type === 'string' && names.own($type).startsWith(namespace)) {
    return renameRecord(preference as Preference, names, names.stored)
  }
  throw protocolError('InvalidRequest', `The $type of each preference must begin with ${namespace}`)
}

function hasType(type: string, { stored }: Names): (preference: Preference) => boolean {
  return ({ $type }) => $type === stored(type)
}

/** Clients may store any value: an invalid date counts as none. */
function birthDateOf({ birthDate }: Preference): Date | undefined {
  return typeof birthDate === 'string' ? instant(birthDate) : undefined
}

/** Derives the age limits, in the namespace of the personal details. */
function declaredAgeOf(details: Preference, now: Date): Preference {
  const born = birthDateOf(details)
  const isOver = (years: number) => born !== undefined && yearsBetween(born, now) >= years
  return {
    $type: details.$type.replace(/#.*/, '#declaredAgePref'),
    isOverAge13: isOver(13),
    isOverAge16: isOver(16),
    isOverAge18: isOver(18),
  }
}

function yearsBetween(from: Date, to: Date): number {
  const years = to.getUTCFullYear() - from.getUTCFullYear()
  const anniversary = Date.UTC(to.getUTCFullYear(), from.getUTCMonth(), from.getUTCDate())
  return to.getTime() < anniversary ? years - 1 : years
}
