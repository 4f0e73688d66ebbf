/** The names of the files in a data directory. */
import { join } from 'node:path'

/** The pages as of the last checkpoint. */
export const databaseName = 'pds.sqlite'
/** The checksum of each page. */
export const checksumsName = 'pds.sqlite.pages'
/** The progress of the check of all pages. */
export const pageCheckName = 'pds.sqlite.check'
/** Changed pages that are being put in their places. */
export const checkpointName = 'pds.checkpoint'
/** A verified backup that becomes the database: once it has this name, the restore is committed. */
export const restoredName = 'pds.sqlite.restored'
/** Names the key of the copies that the data have at places. */
export const replicaKeyName = 'pds.replica-key'
/** The key of the data of a restore; renamed to `replicaKeyName` once the restore is committed. */
export const restoredKeyName = 'replica-key.restored'
/** The timeline with which the copies of data that a restore brings begin; it becomes theirs once the restore is committed. */
export const restoredTimelinesName = 'timelines.restored'
/** Empty file: the data come from a backup, and the server has not started with them yet. */
export const restoredMarkName = 'restored'
/** Marks the data folder of a network for tests: no other server uses it. */
export const testNetworkName = 'network-for-tests.json'
export const lockName = 'pds.lock'
/** Folder of the blobs, in the data directory and in the folder of backups. */
export const blobsName = 'blobs'
/** The blobs of a backup that is being restored; they replace `blobs` once the restore is committed. */
export const restoredBlobsName = 'blobs.restored'
/** Folder of the archives that are being imported. */
export const importsName = 'imports'
export const backupsName = 'backups'
/** Folder of repositories that are being sent. */
export const exportsName = 'exports'
/** Folder of pictures of other servers. It can be deleted at any time. */
export const cacheName = 'cache'
/** Folder of thumbnails of pictures. It can be deleted at any time. */
export const thumbnailsName = 'thumbnails'
/** Folder of videos in the form in which players stream them. It can be deleted at any time. */
export const videosName = 'videos'
/** Folder of the state of the continuous copies. */
export const copiesName = 'copies'
/** Its name with replaced data, until an undo. */
export const replacedElsewhereName = 'pds.elsewhere'
/** In that folder: the timelines that the data continue, those before an upgrade until the next one begins, and those before a restore. */
export const timelinesName = 'timelines.json'
export const upgradedTimelinesName = 'timelines.upgraded.json'
export const endedTimelinesName = 'timelines.ended.json'
/** In that folder: the timeline of another computer that continues the server. */
export const elsewhereName = 'elsewhere.json'
/** In that folder: journals that the copies still need. Journals are kept there while it exists. */
export const keptJournalsName = 'journals'
/** Prefix of folders with files that a restore replaced. */
export const replacedPrefix = 'replaced-'
/** The folder for them while a restore is being committed. */
export const replacingName = 'replaced-pending'
/** The folder of replaced files that an undo puts back: once it has this name, the undo is committed. */
export const undoingName = 'replaced-undoing'

const journalPattern = /^pds\.(\d{12,})\.journal$/
const temporaryPattern = /^(pds\.(sqlite|checkpoint|replica-key|\d+\.journal)|replica-key|timelines).*\.tmp$/

/** Journals are named by the sequence number of their first transaction. */
export function journalPath(dir: string, firstSeq: number): string {
  return join(dir, `pds.${String(firstSeq).padStart(12, '0')}.journal`)
}

export function isJournal(name: string): boolean {
  return journalPattern.test(name)
}

/** The first sequence numbers of the journals among `names`, ascending. */
export function journalSeqs(names: readonly string[]): number[] {
  return names
    .flatMap((name) => journalPattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b)
}

/** Whether a crash may have left the file half written. It never has the only copy of any data. */
export function isTemporary(name: string): boolean {
  return temporaryPattern.test(name)
}

/** Whether the store moved the file aside because it failed a check. */
export function isDamaged(name: string): boolean {
  return name.startsWith('pds.') && name.includes('.damaged-')
}

/** Returns the name that a file had before it was moved aside. */
export function originalName(damaged: string): string {
  return damaged.slice(0, damaged.indexOf('.damaged-'))
}

/** Whether a name belongs to the data. The lock and temporary files do not. */
export function isData(name: string): boolean {
  return name.startsWith('pds.') && !name.startsWith(lockName) && !isTemporary(name)
}

/** Ends the names of uploads that are being received, in the folder of blobs, and of repositories that are being sent. */
export const temporarySuffix = '.tmp'

/** CIDs of blobs: version 1, raw bytes, SHA-256, in base32. */
const blobPattern = /^bafkrei[a-z2-7]{52}$/

/** Whether a name is the CID of a blob. */
export function isBlobName(name: string): boolean {
  return blobPattern.test(name)
}

/** The path of a blob, in the folder of the last two letters of its CID. All CIDs begin with the same letters. */
export function blobPath(folder: string, cid: string): string {
  return join(folder, cid.slice(-2), cid)
}

/** A time for file names: sortable, and without characters that some file systems refuse. */
export function fileTime(at: Date): string {
  return at.toISOString().replaceAll(/[-:.]/g, '')
}

const timePattern = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/

/** Parses the result of `fileTime`; undefined for any other text. */
export function parseFileTime(text: string): Date | undefined {
  const time = new Date(text.replace(timePattern, '$1-$2-$3T$4:$5:$6.$7Z'))
  return !Number.isNaN(time.getTime()) && fileTime(time) === text ? time : undefined
}

/** The name of a folder with files that are replaced at this time. */
export function replacedName(at: Date): string {
  return `${replacedPrefix}${fileTime(at)}`
}

/** Returns when the files in a folder were replaced; undefined for names not made by `replacedName`. */
export function parseReplacedName(name: string): Date | undefined {
  return name.startsWith(replacedPrefix) ? parseFileTime(name.slice(replacedPrefix.length)) : undefined
}
