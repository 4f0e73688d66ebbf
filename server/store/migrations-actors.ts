/** Migrations to actors, links and compact rows: ids instead of DIDs, CIDs as bytes, times as milliseconds. */
import { cidBytes } from './cid.ts'
import { actorPaths, countedByRecord } from './link-paths.ts'
import type { Migration } from './migrate.ts'
import type { Sqlite } from './sqlite.ts'
import type { Link } from './tables/links.ts'
import type { FeedItem } from './tables/posts.ts'

/** What tables derive from a record. */
export interface Derived {
  readonly links: readonly Link[]
  readonly feedItem: FeedItem | undefined
}

/** Derives the links of a stored record. @param didOf returns the DID of an account by its handle */
export type DeriveLinks = (
  record: { readonly collection: string; readonly bytes: Uint8Array },
  didOf: (handle: string) => string | undefined,
) => Derived

export function actorMigrations(derive: DeriveLinks): Migration[] {
  return [
    { sql: actors() },
    { sql: repositories() },
    { run: (sqlite) => moveRepositories(sqlite, derive) },
    { sql: countsOfRecords() },
    { run: moveNotifications },
    { sql: subscriptionsAndMutes() },
    { sql: orphans() },
  ]
}

const isInactive = (account: string) =>
  `(${account}.deactivated_at IS NOT NULL OR ${account}.taken_down_at IS NOT NULL OR ${account}.suspended_at IS NOT NULL)`

/** Milliseconds of a time in ISO 8601 with three decimals; 0 for an empty text. */
const milliseconds = (text: string) =>
  `(coalesce(CAST(strftime('%s', ${text}) AS INTEGER), 0) * 1000 + CAST(substr(${text}, 21, 3) AS INTEGER))`

/** The text after the first dot. */
const afterDot = (text: string) => `substr(${text}, instr(${text}, '.') + 1)`

function actors(): string {
  const columns = `did, handle, email, email_confirmed_at, email_auth_factor, password_hash, is_owner, is_minted, created_at,
    deactivated_at, delete_after, taken_down_at, takedown_ref, suspended_at, suspension_ref, invite_code, signing_key,
    signing_key_did, plc_operation, plc_submitted_at, plc_handle, plc_endpoint, invites_disabled, invite_note`
  return `
    -- Everyone that a record or an account refers to.
    CREATE TABLE actors (
      id INTEGER PRIMARY KEY,
      did TEXT NOT NULL UNIQUE,
      inactive INTEGER NOT NULL DEFAULT 0 -- 1: deactivated, suspended, taken down or deleted
    ) STRICT;
    INSERT INTO actors (id, did, inactive) SELECT id, did, ${isInactive('accounts')} FROM accounts;

    -- Names of collections as they were written, aliases included.
    CREATE TABLE collections (
      id INTEGER PRIMARY KEY,
      nsid TEXT NOT NULL UNIQUE,
      name TEXT AS (${afterDot(afterDot('nsid'))}) VIRTUAL -- without the authority: a collection and its aliases have the same
    ) STRICT;
    CREATE INDEX collections_name ON collections (name);

    -- They refer to accounts, which is rebuilt.
    DROP TRIGGER push_is_queued;
    DROP TRIGGER author_changes_state;
    CREATE TABLE accounts_of_actors (
      id INTEGER PRIMARY KEY REFERENCES actors (id),
      did TEXT NOT NULL UNIQUE,
      handle TEXT NOT NULL UNIQUE,
      email TEXT UNIQUE,                 -- lower case
      email_confirmed_at TEXT,
      email_auth_factor INTEGER NOT NULL DEFAULT 0,
      password_hash TEXT,                -- null: signs in only after a password reset
      is_owner INTEGER NOT NULL DEFAULT 0,
      is_minted INTEGER NOT NULL,        -- whether its DID was made here
      created_at TEXT NOT NULL,
      deactivated_at TEXT,
      delete_after TEXT,                 -- maintenance deletes the account from then on
      taken_down_at TEXT,
      takedown_ref TEXT,
      suspended_at TEXT,
      suspension_ref TEXT,
      invite_code TEXT,                  -- the one it was created with
      signing_key BLOB NOT NULL,         -- private key, P-256
      signing_key_did TEXT NOT NULL,     -- its public half as did:key
      plc_operation TEXT,                -- JSON: the minted genesis, or an importer's signed operation
      plc_submitted_at TEXT,
      plc_handle TEXT,                   -- the handle and the server address as last published; null: not published
      plc_endpoint TEXT,
      invites_disabled INTEGER NOT NULL DEFAULT 0, -- whether it earns no invite codes
      invite_note TEXT
    ) STRICT;
    INSERT INTO accounts_of_actors (id, ${columns}) SELECT id, ${columns} FROM accounts;
    DROP TABLE accounts;
    ALTER TABLE accounts_of_actors RENAME TO accounts;
    CREATE INDEX accounts_delete_after ON accounts (delete_after) WHERE delete_after IS NOT NULL;
    CREATE INDEX accounts_created ON accounts (created_at, did);

    CREATE TRIGGER account_is_created AFTER INSERT ON accounts
      BEGIN
        UPDATE actors SET inactive = ${isInactive('NEW')} WHERE id = NEW.id AND inactive <> ${isInactive('NEW')};
      END;
    CREATE TRIGGER account_changes_state AFTER UPDATE OF deactivated_at, taken_down_at, suspended_at ON accounts
      BEGIN
        UPDATE actors SET inactive = ${isInactive('NEW')} WHERE id = NEW.id AND inactive <> ${isInactive('NEW')};
      END;
  `
}

function repositories(): string {
  return `
    ALTER TABLE repos RENAME TO old_repos;
    ALTER TABLE repo_blocks RENAME TO old_repo_blocks;
    ALTER TABLE records RENAME TO old_records;
    ALTER TABLE record_blobs RENAME TO old_record_blobs;

    CREATE TABLE repos (
      actor INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
      commit_cid BLOB NOT NULL,
      rev TEXT NOT NULL,
      tree_cid BLOB NOT NULL             -- root of the Merkle search tree
    ) STRICT;

    -- The latest commit and the nodes of its tree. The records are blocks too, but have their own table.
    CREATE TABLE repo_blocks (
      actor INTEGER NOT NULL REFERENCES repos (actor) ON DELETE CASCADE,
      cid BLOB NOT NULL,
      bytes BLOB NOT NULL,
      PRIMARY KEY (actor, cid)
    ) STRICT, WITHOUT ROWID;

    CREATE TABLE records (
      id INTEGER PRIMARY KEY,
      actor INTEGER NOT NULL REFERENCES actors (id),
      collection INTEGER NOT NULL REFERENCES collections (id),
      rkey TEXT NOT NULL,
      cid BLOB NOT NULL,
      bytes BLOB NOT NULL,               -- DAG-CBOR
      indexed_at INTEGER NOT NULL        -- milliseconds, as all times in tables of many rows
    ) STRICT;
    CREATE UNIQUE INDEX records_key ON records (actor, collection, rkey);

    -- Blobs that records refer to.
    CREATE TABLE record_blobs (
      record INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
      cid BLOB NOT NULL,
      PRIMARY KEY (record, cid)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX record_blobs_cid ON record_blobs (cid);

    -- Records that some record refers to, whether or not they exist here. The collection is the name in the reference.
    CREATE TABLE subjects (
      id INTEGER PRIMARY KEY,
      actor INTEGER NOT NULL REFERENCES actors (id),
      collection INTEGER NOT NULL REFERENCES collections (id),
      rkey TEXT NOT NULL,
      UNIQUE (actor, rkey, collection)
    ) STRICT;

    -- Which records refer to an actor or a record.
    CREATE TABLE links (
      subject INTEGER NOT NULL,          -- an actor or one of the subjects, as the path says
      path INTEGER NOT NULL,             -- see link-paths.ts
      actor INTEGER NOT NULL,            -- author of the record
      record INTEGER NOT NULL REFERENCES records (id) ON DELETE CASCADE,
      PRIMARY KEY (subject, path, actor, record)
    ) STRICT, WITHOUT ROWID;

    -- Number of links: of distinct actors, for posts of records.
    CREATE TABLE link_counts (
      subject INTEGER NOT NULL,
      path INTEGER NOT NULL,
      count INTEGER NOT NULL,
      PRIMARY KEY (subject, path)
    ) STRICT, WITHOUT ROWID;

    -- Posts and reposts, which feeds sort by time.
    CREATE TABLE posts (
      record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
      actor INTEGER NOT NULL,
      sort_at INTEGER NOT NULL,          -- when it was created, but not after it was written here
      kind INTEGER NOT NULL,             -- 0 post, 1 reply, 2 repost
      media INTEGER NOT NULL             -- bits: 1 images or video, 2 video
    ) STRICT;

    -- Number and bytes of the records in each collection of a repository.
    CREATE TABLE collection_sizes (
      actor INTEGER NOT NULL,
      collection INTEGER NOT NULL,
      records INTEGER NOT NULL,
      bytes INTEGER NOT NULL,
      PRIMARY KEY (actor, collection)
    ) STRICT, WITHOUT ROWID;
  `
}

/** Records that are moved before the old rows are deleted, so that their pages are used again. */
const batchSize = 1000

interface OldRecord {
  readonly did: string
  readonly collection: string
  readonly rkey: string
  readonly cid: string
  readonly bytes: Uint8Array
  readonly indexed_at: string
}

/** Moves repositories to the new tables and derives links. Ids of records follow the time of their writes. */
function moveRepositories(sqlite: Sqlite, derive: DeriveLinks): void {
  const actorOf = idsOf(sqlite, 'actors', 'did')
  moveRepos(sqlite, actorOf)
  moveBlocks(sqlite, actorOf)
  moveRecords(sqlite, actorOf, derive)
  sqlite.exec(
    'DROP TABLE old_record_blobs; DROP TABLE old_records; DROP TABLE old_repo_blocks; DROP TABLE old_repos',
  )
}

type IdOf = (name: string) => number

/** Returns a function that returns the id of a name, and inserts a new one. */
function idsOf(sqlite: Sqlite, table: string, column: string): IdOf {
  const ids = new Map<string, number>()
  return (name) => {
    const known = ids.get(name)
    if (known !== undefined) return known
    const find = () => sqlite.get<{ id: number }>(`SELECT id FROM ${table} WHERE ${column} = ?`, [name])?.id
    if (find() === undefined) sqlite.execute(`INSERT INTO ${table} (${column}) VALUES (?)`, [name])
    const id = find() ?? 0
    ids.set(name, id)
    return id
  }
}

function moveRepos(sqlite: Sqlite, actorOf: IdOf): void {
  const repos = sqlite.all<{ did: string; commit_cid: string; rev: string; tree_cid: string }>(
    'SELECT * FROM old_repos',
  )
  for (const { did, commit_cid, rev, tree_cid } of repos) {
    const row = [actorOf(did), cidBytes(commit_cid), rev, cidBytes(tree_cid)]
    sqlite.execute('INSERT INTO repos (actor, commit_cid, rev, tree_cid) VALUES (?, ?, ?, ?)', row)
  }
}

function moveBlocks(sqlite: Sqlite, actorOf: IdOf): void {
  const page = `SELECT did, cid, bytes FROM old_repo_blocks ORDER BY did, cid LIMIT ${batchSize}`
  for (;;) {
    const blocks = sqlite.all<{ did: string; cid: string; bytes: Uint8Array }>(page)
    const last = blocks.at(-1)
    if (!last) return
    for (const { did, cid, bytes } of blocks) {
      const row = [actorOf(did), cidBytes(cid), bytes]
      sqlite.execute('INSERT INTO repo_blocks (actor, cid, bytes) VALUES (?, ?, ?)', row)
    }
    sqlite.execute('DELETE FROM old_repo_blocks WHERE (did, cid) <= (?, ?)', [last.did, last.cid])
  }
}

function moveRecords(sqlite: Sqlite, actorOf: IdOf, derive: DeriveLinks): void {
  const collectionOf = idsOf(sqlite, 'collections', 'nsid')
  const ids = idsByTime(sqlite)
  const accounts = sqlite.all<{ did: string; handle: string }>('SELECT did, handle FROM accounts')
  const dids = new Map(accounts.map(({ did, handle }) => [handle, did]))
  const page = `SELECT did, collection, rkey, cid, bytes, indexed_at FROM old_records ORDER BY did, collection, rkey LIMIT ${batchSize}`
  for (let moved = 0; ; ) {
    const records = sqlite.all<OldRecord>(page)
    const last = records.at(-1)
    if (!last) return
    for (const record of records) {
      const { did, collection, rkey, cid, bytes } = record
      const id = ids[moved++] ?? 0
      const actor = actorOf(did)
      const at = Date.parse(record.indexed_at)
      sqlite.execute(
        'INSERT INTO records (id, actor, collection, rkey, cid, bytes, indexed_at) VALUES (?, ?, ?, ?, ?, ?, ?)',
        [id, actor, collectionOf(collection), rkey, cidBytes(cid), bytes, at],
      )
      const { links, feedItem } = derive(record, (handle) => dids.get(handle))
      for (const link of links) insertLink(sqlite, { id, actor }, link, { actorOf, collectionOf })
      if (feedItem) insertPost(sqlite, { id, actor, at }, feedItem)
    }
    moveBlobs(sqlite, last)
    sqlite.execute('DELETE FROM old_records WHERE (did, collection, rkey) <= (?, ?, ?)', [
      last.did,
      last.collection,
      last.rkey,
    ])
  }
}

/** The ids of the old records in key order. */
function idsByTime(sqlite: Sqlite): Uint32Array {
  const total = sqlite.get<{ n: number }>('SELECT count(*) AS n FROM old_records')?.n ?? 0
  const times = new Float64Array(total)
  let read = 0
  let last: Pick<OldRecord, 'did' | 'collection' | 'rkey'> = { did: '', collection: '', rkey: '' }
  while (read < total) {
    const page = sqlite.all<OldRecord>(
      `SELECT did, collection, rkey, indexed_at FROM old_records WHERE (did, collection, rkey) > (?, ?, ?)
       ORDER BY did, collection, rkey LIMIT ${batchSize}`,
      [last.did, last.collection, last.rkey],
    )
    for (const { indexed_at } of page) times[read++] = Date.parse(indexed_at)
    last = page.at(-1) ?? last
  }
  const order = Uint32Array.from(times.keys()).sort((a, b) => (times[a] ?? 0) - (times[b] ?? 0) || a - b)
  const ids = new Uint32Array(total)
  order.forEach((record, place) => {
    ids[record] = place + 1
  })
  return ids
}

function insertLink(
  sqlite: Sqlite,
  { id, actor }: { id: number; actor: number },
  { path, did, record }: Link,
  { actorOf, collectionOf }: { actorOf: IdOf; collectionOf: IdOf },
): void {
  const row = [path, actor, id]
  if (!record) {
    sqlite.execute(
      'INSERT INTO links (subject, path, actor, record) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING',
      [actorOf(did), ...row],
    )
    return
  }
  const subject = [actorOf(did), collectionOf(record.collection), record.rkey]
  sqlite.execute(
    'INSERT INTO subjects (actor, collection, rkey) VALUES (?, ?, ?) ON CONFLICT DO NOTHING',
    subject,
  )
  sqlite.execute(
    `INSERT INTO links (path, actor, record, subject) SELECT ?, ?, ?, id FROM subjects
     WHERE actor = ? AND collection = ? AND rkey = ? ON CONFLICT DO NOTHING`,
    [...row, ...subject],
  )
}

function insertPost(
  sqlite: Sqlite,
  { id, actor, at }: { id: number; actor: number; at: number },
  { kind, media, createdAt = at }: FeedItem,
): void {
  const row = [id, actor, Math.min(createdAt, at), kind, media]
  sqlite.execute('INSERT INTO posts (record, actor, sort_at, kind, media) VALUES (?, ?, ?, ?, ?)', row)
}

/** Moves the blobs of the records up to `last`. */
function moveBlobs(sqlite: Sqlite, last: OldRecord): void {
  const upTo = [last.did, last.collection, last.rkey]
  const blobs = sqlite.all<{ record: number; blob_cid: string }>(
    `SELECT r.id AS record, b.blob_cid FROM old_record_blobs b JOIN actors a ON a.did = b.did
     JOIN collections c ON c.nsid = b.collection
     JOIN records r ON r.actor = a.id AND r.collection = c.id AND r.rkey = b.rkey
     WHERE (b.did, b.collection, b.rkey) <= (?, ?, ?)`,
    upTo,
  )
  for (const { record, blob_cid } of blobs) {
    sqlite.execute('INSERT INTO record_blobs (record, cid) VALUES (?, ?) ON CONFLICT DO NOTHING', [
      record,
      cidBytes(blob_cid),
    ])
  }
  sqlite.execute('DELETE FROM old_record_blobs WHERE (did, collection, rkey) <= (?, ?, ?)', upTo)
}

/** Adds a record to the size of its collection. */
const sizeIn = `
        INSERT INTO collection_sizes (actor, collection, records, bytes)
          VALUES (NEW.actor, NEW.collection, 1, length(NEW.bytes))
          ON CONFLICT DO UPDATE SET records = records + 1, bytes = bytes + excluded.bytes;`

/** Subtracts a record from the size of its collection. */
const sizeOut = `
        UPDATE collection_sizes SET records = records - 1, bytes = bytes - length(OLD.bytes)
          WHERE actor = OLD.actor AND collection = OLD.collection;
        DELETE FROM collection_sizes WHERE actor = OLD.actor AND collection = OLD.collection AND records = 0;`

/** Whether the counts include a link that is inserted or deleted. */
const isCounted = (row: string) =>
  `(${row}.path IN ${countedByRecord} OR NOT EXISTS (SELECT 1 FROM links
            WHERE subject = ${row}.subject AND path = ${row}.path AND actor = ${row}.actor AND record <> ${row}.record))`

function countsOfRecords(): string {
  const counted = `count(DISTINCT CASE WHEN path IN ${countedByRecord} THEN record ELSE actor END)`
  return `
    CREATE INDEX links_record ON links (record);
    CREATE INDEX posts_author ON posts (actor, sort_at, record);

    INSERT INTO link_counts (subject, path, count) SELECT subject, path, ${counted} FROM links GROUP BY subject, path;
    CREATE TRIGGER link_is_inserted AFTER INSERT ON links
      BEGIN
        INSERT INTO link_counts (subject, path, count) SELECT NEW.subject, NEW.path, 1 WHERE ${isCounted('NEW')}
          ON CONFLICT DO UPDATE SET count = count + 1;
      END;

    INSERT INTO collection_sizes (actor, collection, records, bytes)
      SELECT actor, collection, count(*), sum(length(bytes)) FROM records GROUP BY actor, collection;
    CREATE TRIGGER record_is_inserted AFTER INSERT ON records
      BEGIN${sizeIn}
      END;
    CREATE TRIGGER record_is_updated AFTER UPDATE OF collection, bytes ON records
      BEGIN${sizeOut}${sizeIn}
      END;
  `
}

/** Numbers of the reasons in tables. They repeat notifications/reasons.ts, because a migration never changes. */
const reasons = [
  'like',
  'repost',
  'follow',
  'mention',
  'reply',
  'quote',
  'starterpack-joined',
  'verified',
  'unverified',
  'like-via-repost',
  'repost-via-repost',
  'subscribed-post',
  'contact-match',
]
const reasonNumber = (column: string) =>
  `CASE ${column} ${reasons.map((reason, at) => `WHEN '${reason}' THEN ${at + 1}`).join(' ')} END`

function moveNotifications(sqlite: Sqlite): void {
  sqlite.exec(notifications())
  const deleted = sqlite.all<{ notification: number; cid: Uint8Array }>(
    'SELECT notification, cid FROM deleted_records',
  )
  for (const { notification, cid } of deleted) {
    const bytes = cidBytes(Buffer.from(cid).toString())
    sqlite.execute('UPDATE deleted_records SET cid = ? WHERE notification = ?', [bytes, notification])
  }
}

function notifications(): string {
  const isUnread = (row: string) =>
    `(${row}.indexed_at > coalesce((SELECT seen_at FROM seen_markers WHERE account = ${row}.account), 0))`
  const countIn = `
        INSERT INTO notification_kinds (account, reason, followed, unread)
          SELECT NEW.account, NEW.reason, NEW.followed, ${isUnread('NEW')} WHERE NEW.hidden = 0
          ON CONFLICT DO UPDATE SET unread = unread + excluded.unread;`
  const countOut = `
        UPDATE notification_kinds SET unread = unread - 1
          WHERE OLD.hidden = 0 AND ${isUnread('OLD')}
            AND (account, reason, followed) = (OLD.account, OLD.reason, OLD.followed);`
  return `
    ALTER TABLE seen_markers RENAME TO old_seen_markers;
    ALTER TABLE notification_kinds RENAME TO old_notification_kinds;
    ALTER TABLE notification_clock RENAME TO old_notification_clock;
    ALTER TABLE push_queue RENAME TO old_push_queue;
    DROP TRIGGER notification_arrives;
    DROP TRIGGER notification_goes;
    DROP TRIGGER notification_changes_kind;
    ALTER TABLE notifications RENAME TO old_notifications;
    DROP INDEX notifications_kind;
    DROP INDEX notifications_author;
    DROP INDEX notifications_record;
    DROP INDEX push_queue_notification;
    DROP INDEX push_queue_due;

    CREATE TABLE notifications (
      id INTEGER PRIMARY KEY AUTOINCREMENT, -- never reused: identifies arrivals
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE, -- recipient
      author INTEGER NOT NULL REFERENCES actors (id),
      hidden INTEGER NOT NULL,           -- bits: 1 author inactive, 2 muted, 4 blocked, 8 thread muted
      reason INTEGER NOT NULL,           -- see reasons.ts
      followed INTEGER NOT NULL,         -- whether the account follows the author
      indexed_at INTEGER NOT NULL,       -- no two of an account have the same
      record INTEGER REFERENCES records (id) ON DELETE CASCADE, -- null: in deleted_records
      subject INTEGER                    -- one of the subjects
    ) STRICT;

    -- Records that were deleted and whose deletion notified.
    CREATE TABLE deleted_records (
      notification INTEGER PRIMARY KEY REFERENCES notifications (id) ON DELETE CASCADE,
      collection TEXT NOT NULL,
      rkey TEXT NOT NULL,
      cid BLOB NOT NULL,
      bytes BLOB NOT NULL
    ) STRICT;

    INSERT INTO deleted_records (notification, collection, rkey, cid, bytes)
      SELECT id, collection, rkey, CAST(cid AS BLOB), bytes FROM old_notifications WHERE bytes IS NOT NULL;
    INSERT INTO notifications (id, account, author, hidden, reason, followed, indexed_at, record, subject)
      SELECT o.id, o.account, o.author, o.hidden, ${reasonNumber('o.reason')}, o.followed, ${milliseconds('o.indexed_at')}, r.id,
        (SELECT s.id FROM links l JOIN subjects s ON s.id = l.subject JOIN actors a ON a.id = s.actor
           JOIN collections n ON n.id = s.collection
         WHERE l.record = r.id AND l.path NOT IN ${actorPaths}
           AND o.reason_subject = 'at://' || a.did || '/' || n.nsid || '/' || s.rkey LIMIT 1)
      FROM old_notifications o
      LEFT JOIN records r ON o.bytes IS NULL AND r.actor = o.author AND r.rkey = o.rkey
        AND r.collection = (SELECT id FROM collections WHERE nsid = o.collection)
      WHERE r.id IS NOT NULL OR o.bytes IS NOT NULL
      ORDER BY o.id;
    DELETE FROM sqlite_sequence WHERE name = 'notifications';
    UPDATE sqlite_sequence SET name = 'notifications' WHERE name = 'old_notifications';
    DROP TABLE old_notifications;
    CREATE INDEX notifications_kind ON notifications (account, hidden, reason, followed, indexed_at);
    CREATE INDEX notifications_author ON notifications (author, account);
    CREATE INDEX notifications_record ON notifications (record);

    -- When the last notification arrived: the next one arrives later.
    CREATE TABLE notification_clock (
      id INTEGER PRIMARY KEY CHECK (id = 1),
      last INTEGER NOT NULL
    ) STRICT;
    INSERT INTO notification_clock (id, last) SELECT 1, ${milliseconds('last')} FROM old_notification_clock;
    DROP TABLE old_notification_clock;

    CREATE TABLE seen_markers (
      account INTEGER PRIMARY KEY REFERENCES accounts (id) ON DELETE CASCADE,
      seen_at INTEGER NOT NULL
    ) STRICT;
    INSERT INTO seen_markers (account, seen_at) SELECT account, ${milliseconds('seen_at')} FROM old_seen_markers;
    DROP TABLE old_seen_markers;

    -- The kinds of notifications that an account has had, and how many of each are not hidden and later than its marker.
    CREATE TABLE notification_kinds (
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      reason INTEGER NOT NULL,
      followed INTEGER NOT NULL,
      unread INTEGER NOT NULL,
      PRIMARY KEY (account, reason, followed)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO notification_kinds (account, reason, followed, unread)
      SELECT account, ${reasonNumber('reason')}, followed, unread FROM old_notification_kinds;
    DROP TABLE old_notification_kinds;
    CREATE TRIGGER notification_arrives AFTER INSERT ON notifications
      BEGIN${countIn}
      END;
    CREATE TRIGGER notification_goes AFTER DELETE ON notifications
      BEGIN${countOut}
      END;
    CREATE TRIGGER notification_changes_kind AFTER UPDATE OF followed, hidden ON notifications
      BEGIN${countOut}${countIn}
      END;
    CREATE TRIGGER actor_changes_state AFTER UPDATE OF inactive ON actors
      BEGIN
        UPDATE notifications SET hidden = (hidden & ~1) | NEW.inactive
          WHERE author = NEW.id AND hidden & 1 <> NEW.inactive;
      END;

    -- Notifications on their way to devices.
    CREATE TABLE push_queue (
      registration INTEGER NOT NULL REFERENCES push_registrations (id) ON DELETE CASCADE,
      notification INTEGER NOT NULL REFERENCES notifications (id) ON DELETE CASCADE,
      target TEXT NOT NULL,
      tries INTEGER NOT NULL,            -- that failed
      due_at TEXT NOT NULL,
      PRIMARY KEY (registration, notification)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO push_queue (registration, notification, target, tries, due_at)
      SELECT registration, notification, target, tries, due_at FROM old_push_queue
      WHERE notification IN (SELECT id FROM notifications);
    DROP TABLE old_push_queue;
    CREATE INDEX push_queue_notification ON push_queue (notification);
    CREATE INDEX push_queue_due ON push_queue (target, due_at);
    CREATE TRIGGER push_is_queued AFTER INSERT ON notifications WHEN NEW.hidden = 0
      BEGIN
        INSERT INTO push_queue (registration, notification, target, tries, due_at)
          SELECT r.id, NEW.id, r.target, 0, strftime('%Y-%m-%dT%H:%M:%fZ', NEW.indexed_at / 1000.0, 'unixepoch')
          FROM accounts a JOIN push_registrations r ON r.did = a.did WHERE a.id = NEW.account;
      END;
  `
}

function subscriptionsAndMutes(): string {
  return `
    DROP TABLE follows;

    ALTER TABLE activity_subscriptions RENAME TO old_activity_subscriptions;
    DROP INDEX activity_subscriptions_account;
    CREATE TABLE activity_subscriptions (
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      subject INTEGER NOT NULL REFERENCES actors (id),
      post INTEGER NOT NULL,
      reply INTEGER NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (subject, account)
    ) STRICT, WITHOUT ROWID;
    INSERT INTO actors (did) SELECT DISTINCT subject FROM old_activity_subscriptions WHERE true ON CONFLICT DO NOTHING;
    INSERT INTO activity_subscriptions (account, subject, post, reply, created_at)
      SELECT a.id, s.id, o.post, o.reply, ${milliseconds('o.created_at')}
      FROM old_activity_subscriptions o JOIN actors a ON a.did = o.did JOIN actors s ON s.did = o.subject;
    DROP TABLE old_activity_subscriptions;
    CREATE INDEX activity_subscriptions_account ON activity_subscriptions (account, created_at);

    -- Posts with subscribers that are not notified yet.
    ALTER TABLE fan_outs RENAME TO old_fan_outs;
    CREATE TABLE fan_outs (
      record INTEGER PRIMARY KEY REFERENCES records (id) ON DELETE CASCADE,
      is_reply INTEGER NOT NULL,
      last_recipient INTEGER NOT NULL    -- account: subscribers are notified in the order of their ids
    ) STRICT;
    -- From the start: subscribers were notified in the order of their DIDs, and none is notified twice.
    INSERT INTO fan_outs (record, is_reply, last_recipient)
      SELECT r.id, o.is_reply, 0 FROM old_fan_outs o JOIN actors a ON a.did = o.did
      JOIN collections c ON c.nsid = o.collection
      JOIN records r ON r.actor = a.id AND r.collection = c.id AND r.rkey = o.rkey;
    DROP TABLE old_fan_outs;

    CREATE TABLE mutes (
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      subject INTEGER NOT NULL REFERENCES actors (id),
      created_at INTEGER NOT NULL,
      PRIMARY KEY (account, subject)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX mutes_subject ON mutes (subject);

    -- Lists whose members an account mutes, by author and key: a list may be referred to under several names of its collection.
    CREATE TABLE muted_lists (
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      actor INTEGER NOT NULL REFERENCES actors (id),
      rkey TEXT NOT NULL,
      created_at INTEGER NOT NULL,
      PRIMARY KEY (account, actor, rkey)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX muted_lists_actor ON muted_lists (actor, rkey);

    -- Threads whose notifications are hidden, by author and key of the root post.
    CREATE TABLE muted_threads (
      account INTEGER NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
      actor INTEGER NOT NULL REFERENCES actors (id),
      rkey TEXT NOT NULL,
      PRIMARY KEY (account, actor, rkey)
    ) STRICT, WITHOUT ROWID;
    CREATE INDEX muted_threads_actor ON muted_threads (actor);
  `
}

/** Triggers that delete what nothing refers to any more. */
function orphans(): string {
  const removeOrphan = (actor: string) => `
        DELETE FROM actors WHERE id = ${actor}
          AND NOT EXISTS (SELECT 1 FROM accounts WHERE id = ${actor})
          AND NOT EXISTS (SELECT 1 FROM records WHERE actor = ${actor})
          AND NOT EXISTS (SELECT 1 FROM subjects WHERE actor = ${actor})
          AND NOT EXISTS (SELECT 1 FROM links WHERE subject = ${actor} AND path IN ${actorPaths})
          AND NOT EXISTS (SELECT 1 FROM notifications WHERE author = ${actor})
          AND NOT EXISTS (SELECT 1 FROM activity_subscriptions WHERE subject = ${actor})
          AND NOT EXISTS (SELECT 1 FROM mutes WHERE subject = ${actor})
          AND NOT EXISTS (SELECT 1 FROM muted_lists WHERE actor = ${actor})
          AND NOT EXISTS (SELECT 1 FROM muted_threads WHERE actor = ${actor});`
  const removeOrphanAfter = (table: string, column: string) => `
    CREATE TRIGGER ${table}_orphans AFTER DELETE ON ${table}
      BEGIN${removeOrphan(`OLD.${column}`)}
      END;`
  return `
    CREATE TRIGGER link_is_deleted AFTER DELETE ON links
      BEGIN
        UPDATE link_counts SET count = count - 1 WHERE subject = OLD.subject AND path = OLD.path AND ${isCounted('OLD')};
        DELETE FROM link_counts WHERE subject = OLD.subject AND path = OLD.path AND count = 0;
        DELETE FROM subjects WHERE id = OLD.subject AND OLD.path NOT IN ${actorPaths}
          AND NOT EXISTS (SELECT 1 FROM link_counts WHERE subject = OLD.subject AND path NOT IN ${actorPaths});
      END;
    CREATE TRIGGER link_orphans AFTER DELETE ON links WHEN OLD.path IN ${actorPaths}
      BEGIN${removeOrphan('OLD.subject')}
      END;
    CREATE TRIGGER record_is_deleted AFTER DELETE ON records
      BEGIN${sizeOut}${removeOrphan('OLD.actor')}
      END;
    CREATE TRIGGER account_is_deleted AFTER DELETE ON accounts
      BEGIN
        UPDATE actors SET inactive = 1 WHERE id = OLD.id;
        DELETE FROM notifications WHERE author = OLD.id;
        DELETE FROM records WHERE actor = OLD.id;${removeOrphan('OLD.id')}
      END;${['subjects', 'muted_lists', 'muted_threads'].map((table) => removeOrphanAfter(table, 'actor')).join('')}
    ${['activity_subscriptions', 'mutes'].map((table) => removeOrphanAfter(table, 'subject')).join('')}
    CREATE TRIGGER notifications_orphans AFTER DELETE ON notifications WHEN OLD.record IS NULL
      BEGIN${removeOrphan('OLD.author')}
      END;
  `
}
