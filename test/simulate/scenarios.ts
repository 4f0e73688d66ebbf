/** Chooses the steps of a seed. */
import { createRandom } from '../support/replicas/random.ts'
import { acts } from './acts/index.ts'

/** A step: an act, and the seed of what it chooses. It is the same whatever steps are before it. */
export interface Step {
  /** Its place in the plan, from 1. */
  readonly number: number
  readonly act: string
  readonly seed: number
}

/** By how much the weights of acts are multiplied. `others` is for acts that are not named; 1 by default. */
type Factors = Readonly<Record<string, number>>

const times = (factor: number, names: readonly string[]): Factors =>
  Object.fromEntries(names.map((name) => [name, factor]))

/** Few records are written, and nothing is set. */
const quiet: Factors = {
  ...times(0.25, ['createRecord', 'putRecord', 'applyWrites', 'refreshSession', 'repeatWrite']),
  ...times(0, [
    'mute',
    'subscribe',
    'setNotifications',
    'setPreferences',
    'updateSeen',
    'updateSeenAhead',
    'uploadBlob',
  ]),
  deleteRecord: 0.2,
}

export const scenarios = {
  all: {},
  /** No faults: people act, and time passes. */
  calm: { kill: 0, failDisk: 0, failLink: 0, interruptStop: 0, interruptStart: 0, readMeanwhile: 0 },
  /** Faults of disks and ends of processes. */
  disk: { kill: 2, failDisk: 4, failLink: 0, interruptStop: 2, interruptStart: 2 },
  /** Records are read while they are written, and the disk fails. */
  reads: { readMeanwhile: 200, failDisk: 0, failLink: 0, createRecord: 0.3, start: 3 },
  /** People sign up while links fail. */
  newcomers: {
    ...{ others: 0.2, createAccount: 10, createRecord: 0.5, failLink: 10, heal: 3, wait: 1, start: 1 },
    ...{ kill: 0, failDisk: 0, readMeanwhile: 0 },
  },
  /** Servers are off while others write, and read the streams of the others late. */
  absences: {
    ...{ kill: 8, stop: 6, start: 4, failLink: 4, heal: 3, wait: 1, sleep: 0, setClock: 0, uploadBlob: 0 },
    ...{ failDisk: 0, readMeanwhile: 0, mute: 0, setPreferences: 0, setNotifications: 0, deleteRecord: 0.5 },
  },
  /** Faults of links. */
  network: {
    ...{ others: 0.4, createRecord: 1, deleteRecord: 1, applyWrites: 1, failLink: 5, heal: 2 },
    ...{ kill: 0, failDisk: 0, interruptStop: 0, interruptStart: 0 },
  },
  /** Continuous copies, and faults of their places. */
  copies: {
    ...times(6, ['addPlace', 'failPlace', 'provePlace', 'tryPlace', 'replaceComputer']),
    damagePlace: 3,
  },
  /** Copies whose places are sound, until something happens to them. */
  places: {
    ...quiet,
    ...times(12, [
      'damageSegment',
      'disconnectPlace',
      'misreadMedia',
      'loseFrames',
      'copyMeanwhile',
      'flipJournal',
    ]),
    ...{
      addPlace: 40,
      replaceComputer: 8,
      sharePicture: 15,
      fillDisk: 8,
      writeRecoverySheet: 6,
      tryPlace: 4,
    },
    ...times(0, [
      'failPlace',
      'damagePlace',
      'damageJournal',
      'removePlace',
      'failDisk',
      'failLink',
      'setClock',
    ]),
    ...{ start: 3, sleep: 0 },
  },
  /** Backups, restores and archives. */
  restores: {
    ...{ others: 0.3, start: 1, heal: 1 },
    ...times(6, [
      ...['backUp', 'restoreBackup', 'undoRestore'],
      ...['deactivate', 'exportRepository', 'importRepository'],
    ]),
  },
  /** Codes are mailed and used. */
  mail: {
    ...{ ...quiet, others: 0.1, requestCode: 15, enterCode: 30, changePassword: 3, useMail: 10, failMail: 4 },
    ...{ wait: 1, start: 1 },
  },
  /** Accounts are blocked and muted by lists. */
  lists: { ...quiet, others: 0.2, writeList: 15, muteList: 15, createRecord: 0.6, start: 1, heal: 1 },
  /** Accounts are muted, subscribed to and sorted by preferences while others write and change what they wrote. */
  settings: {
    ...{
      others: 0.1,
      createAccount: 1,
      createRecord: 0.8,
      putRecord: 2,
      deleteRecord: 0.5,
      start: 1,
      heal: 1,
    },
    ...{ mute: 8, subscribe: 4, setNotifications: 6, updateSeen: 1 },
  },
  /** Clocks that are wrong. */
  clocks: { setClock: 8, changeDailyBackups: 6, sleep: 2 },
  /** People move to other servers and back. */
  moves: {
    ...{ others: 0.25, start: 1, heal: 1, failLink: 1, wait: 1 },
    ...times(4, [
      'moveAccount',
      'continueMove',
      'abandonMove',
      'writeWhileMoving',
      'writeDuringStep',
      'useLeftAccount',
    ]),
    ...{ createRecord: 0.5, putRecord: 0.5, uploadBlob: 2, sharePicture: 10, setPreferences: 3 },
  },
  /** The program is updated, and upgrades of the data are interrupted. */
  updates: {
    updateProgram: 8,
    kill: 2,
    failDisk: 2,
    ...times(2, ['backUp', 'restoreBackup', 'addPlace', 'tryPlace']),
  },
  /** Weeks pass, after which much is due. */
  weeks: {
    waitWeeks: 6,
    sleep: 0,
    deactivate: 4,
    activate: 2,
    ...times(2, ['signIn', 'refreshSession', 'allowApp', 'requestCode']),
  },
  /** Few people who write much, and power cuts, most of them during checkpoints and starts. */
  power: {
    ...{ others: 0.2, createRecord: 0.6, applyWrites: 1, putRecord: 1, deleteRecord: 0.5 },
    ...{ createAccount: 0, kill: 6, failDisk: 8, interruptStop: 8, interruptStart: 4, start: 2, wait: 0 },
  },
  /** Pictures are uploaded, used and removed. */
  media: {
    ...{ failDisk: 0, failLink: 0, uploadBlob: 5, sharePicture: 10, putRecord: 3, deleteRecord: 4 },
    ...{ uploadAgain: 12, waitWeeks: 8 },
  },
  /** A relay follows the servers, and fails. */
  relay: { useRelay: 20, failRelay: 8, deactivate: 3, activate: 3, wait: 2 },
  /** Servers forward calls to an app view and to other services. */
  proxy: {
    ...{ useAppView: 25, callService: 25, misdirectCall: 5, muteByService: 5, failService: 10 },
    ...{ createAppPassword: 8, signIn: 6, signOut: 2, allowApp: 3, revokeGrant: 3 },
    ...times(0.3, ['createRecord', 'putRecord', 'deleteRecord', 'applyWrites']),
  },
  /** Devices get notifications by push. */
  push: {
    ...{ others: 0.1, createAccount: 1, createRecord: 0.6, start: 1, heal: 1, wait: 1 },
    ...{ registerPush: 12, unregisterPush: 3, failPush: 8, mute: 3, setNotifications: 8 },
    ...times(3, ['signOut', 'signIn', 'deactivate', 'activate']),
  },
  /** Links are reported by a service that lies. */
  links: { useLinks: 20, reportLinks: 25, failLinks: 5, mute: 3, deleteRecord: 2, updateSeen: 0 },
  /** Apps sign in by OAuth. */
  apps: {
    ...quiet,
    ...times(6, ['allowApp', 'exchangeCode', 'refreshGrant', 'revokeGrant', 'writeAsApp', 'trespassAsApp']),
    ...{ changePassword: 2, createAppPassword: 10, signIn: 6 },
  },
  /** Sessions, passwords and the status of accounts change, and the directory often does not answer. */
  accounts: {
    ...{ others: 0.1, createRecord: 0.3, start: 1, heal: 1, wait: 1, failLink: 2 },
    ...{ signIn: 8, refreshSession: 3, createAppPassword: 10, revokeAppPassword: 5, changePassword: 4 },
    ...{ trespass: 12, writeLimited: 10, useFactor: 5, listen: 8, signOut: 2, setPreferences: 2 },
    ...{ deactivate: 4, activate: 6, moderate: 3 },
  },
} satisfies Readonly<Record<string, Factors>>

export type Scenario = keyof typeof scenarios

/** Steps from one check to the next. */
const checkEvery = 50
/** Steps at the begin, in which people sign up. */
const signUps = 4

export function planOf(seed: number, steps: number, scenario: Scenario = 'all'): Step[] {
  const random = createRandom(seed)
  const factors: Factors = scenarios[scenario]
  const choices = Object.entries(acts).flatMap(([name, { weight }]) =>
    Array<string>(Math.round(weight * (factors[name] ?? factors.others ?? 1))).fill(name),
  )
  return Array.from({ length: steps }, (_, i) => {
    const number = i + 1
    const chosen = random.pick(choices)
    const act = number <= signUps ? 'createAccount' : number % checkEvery === 0 ? 'check' : chosen
    return { number, act, seed: random.below(2 ** 31) }
  })
}

/** Returns the steps that are listed as `3,7,12-15`. */
export function only(plan: readonly Step[], list: string): Step[] {
  const ranges = list.split(',').map((part) => part.split('-').map(Number))
  return plan.filter(({ number }) =>
    ranges.some(([first = 0, last = first]) => number >= first && number <= last),
  )
}

/** Lists steps as `only` reads them. */
export function listOf(steps: readonly Step[]): string {
  const ranges: [first: number, last: number][] = []
  for (const { number } of steps) {
    const range = ranges.at(-1)
    if (range && range[1] === number - 1) range[1] = number
    else ranges.push([number, number])
  }
  return ranges.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(',')
}
