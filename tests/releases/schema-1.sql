BEGIN TRANSACTION;
CREATE TABLE alarms (
	repository BIGINT NOT NULL,
	name VARCHAR(40) NOT NULL,
	about VARCHAR(300) NOT NULL,
	full_name VARCHAR(300) NOT NULL,
	reason TEXT NOT NULL,
	remedy TEXT NOT NULL,
	raised_at DATETIME NOT NULL,
	PRIMARY KEY (repository, name, about)
);
CREATE TABLE arrivals (
	repository BIGINT NOT NULL,
	installation BIGINT NOT NULL,
	at DATETIME NOT NULL,
	begun_at DATETIME,
	settled BOOLEAN NOT NULL,
	caught_up BOOLEAN NOT NULL,
	PRIMARY KEY (repository)
);
CREATE TABLE calls (
	repository BIGINT NOT NULL,
	day VARCHAR(10) NOT NULL,
	count INTEGER NOT NULL,
	PRIMARY KEY (repository, day)
);
CREATE TABLE distillations (
	repository BIGINT NOT NULL,
	source VARCHAR(100) NOT NULL,
	at DATETIME NOT NULL,
	distilled TEXT NOT NULL,
	PRIMARY KEY (repository, source)
);
CREATE TABLE empty_searches (
	number INTEGER NOT NULL,
	repository BIGINT NOT NULL,
	at DATETIME NOT NULL,
	finding VARCHAR(40) NOT NULL,
	"query" TEXT NOT NULL,
	nearest TEXT NOT NULL,
	PRIMARY KEY (number)
);
CREATE TABLE expiries (
	repository BIGINT NOT NULL,
	due_at DATETIME,
	attempt INTEGER NOT NULL,
	issue BOOLEAN,
	PRIMARY KEY (repository)
);
CREATE TABLE expiries_told (
	repository BIGINT NOT NULL,
	bullet VARCHAR(8) NOT NULL,
	ends VARCHAR(10) NOT NULL,
	at DATETIME NOT NULL,
	PRIMARY KEY (repository, bullet, ends)
);
CREATE TABLE failed_jobs (
	repository BIGINT NOT NULL,
	pull BIGINT NOT NULL,
	app BIGINT NOT NULL,
	job VARCHAR(300) NOT NULL,
	head VARCHAR(64) NOT NULL,
	at DATETIME NOT NULL,
	PRIMARY KEY (repository, pull, app, job)
);
CREATE TABLE heartbeats (
	executor VARCHAR(100) NOT NULL,
	at DATETIME NOT NULL,
	PRIMARY KEY (executor)
);
CREATE TABLE inbox (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	guid VARCHAR(100) NOT NULL,
	event VARCHAR(100) NOT NULL,
	action VARCHAR(100),
	repository BIGINT,
	installation BIGINT,
	body BLOB,
	received_at DATETIME NOT NULL,
	status VARCHAR(10) NOT NULL,
	attempt INTEGER NOT NULL,
	reason TEXT,
	next_try_at DATETIME NOT NULL,
	handed_at DATETIME,
	done_at DATETIME,
	UNIQUE (guid)
);
INSERT INTO "inbox" VALUES(1,'d-1','push',NULL,11,NULL,X'7B22726566223A2022726566732F68656164732F6D61696E227D','2026-11-02 10:00:00.000000','received',1,NULL,'2026-11-02 10:00:00.000000',NULL,NULL);
INSERT INTO "inbox" VALUES(2,'d-2','push',NULL,11,NULL,X'7B22726566223A2022726566732F68656164732F6D61696E227D','2026-11-02 10:00:00.000000','handed',1,NULL,'2026-11-02 10:00:00.000000','2026-11-02 10:00:00.000000',NULL);
CREATE TABLE listed_accounts (
	repository BIGINT NOT NULL,
	login VARCHAR(100) NOT NULL,
	account BIGINT,
	at DATETIME NOT NULL,
	PRIMARY KEY (repository, login)
);
CREATE TABLE note_wants (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
	repository BIGINT NOT NULL,
	kind VARCHAR(40) NOT NULL,
	want TEXT NOT NULL,
	due_at DATETIME NOT NULL,
	attempt INTEGER NOT NULL
);
CREATE TABLE notices (
	repository BIGINT NOT NULL,
	number BIGINT NOT NULL,
	"key" VARCHAR(60) NOT NULL,
	body TEXT,
	version INTEGER NOT NULL,
	said INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	at DATETIME NOT NULL,
	PRIMARY KEY (repository, number, "key")
);
CREATE TABLE past_readings (
	repository BIGINT NOT NULL,
	number INTEGER NOT NULL,
	updated_at DATETIME NOT NULL,
	settings VARCHAR(16) NOT NULL,
	at DATETIME NOT NULL,
	wanted TEXT NOT NULL,
	PRIMARY KEY (repository, number)
);
CREATE TABLE questions (
	repository BIGINT NOT NULL,
	id VARCHAR(12) NOT NULL,
	number BIGINT NOT NULL,
	source VARCHAR(100) NOT NULL,
	at DATETIME NOT NULL,
	question TEXT NOT NULL,
	reply BIGINT,
	answer VARCHAR(10),
	answered_by VARCHAR(100),
	answered_at DATETIME,
	"commit" VARCHAR(64),
	bullet VARCHAR(8),
	outcome TEXT,
	PRIMARY KEY (repository, id)
);
CREATE TABLE reader_tokens (
	id VARCHAR(12) NOT NULL,
	repository BIGINT NOT NULL,
	full_name VARCHAR(300) NOT NULL,
	reader VARCHAR(64) NOT NULL,
	issued_at DATETIME NOT NULL,
	expires_at DATETIME NOT NULL,
	revoked_at DATETIME, captures BOOLEAN NOT NULL DEFAULT false,
	PRIMARY KEY (id)
);
INSERT INTO "reader_tokens" VALUES('7d986fc760c8',11,'acme/shop','review-bot','2026-11-02 10:00:00.000000','2027-08-29 10:00:00.000000',NULL,0);
CREATE TABLE readings (
	app BIGINT NOT NULL,
	read_to DATETIME NOT NULL,
	begun_at DATETIME,
	cursor VARCHAR(200),
	PRIMARY KEY (app)
);
CREATE TABLE reported_outcomes (
	repository BIGINT NOT NULL,
	lesson VARCHAR(8) NOT NULL,
	reader VARCHAR(80) NOT NULL,
	heeded BOOLEAN NOT NULL,
	note TEXT NOT NULL,
	at DATETIME NOT NULL,
	PRIMARY KEY (repository, lesson, reader)
);
CREATE TABLE repositories (
	id BIGINT NOT NULL,
	installation BIGINT NOT NULL,
	full_name VARCHAR(300) NOT NULL,
	here BOOLEAN NOT NULL,
	committed_at DATETIME,
	housekeeping_at DATETIME,
	PRIMARY KEY (id)
);
CREATE TABLE rounds (
	name VARCHAR(50) NOT NULL,
	begun_at DATETIME NOT NULL,
	PRIMARY KEY (name)
);
CREATE TABLE schema_version (
	version INTEGER NOT NULL
);
INSERT INTO "schema_version" VALUES(1);
CREATE TABLE sections (
	repository BIGINT NOT NULL,
	number BIGINT NOT NULL,
	"key" VARCHAR(80) NOT NULL,
	head VARCHAR(64),
	title TEXT NOT NULL,
	body TEXT NOT NULL,
	warns BOOLEAN NOT NULL,
	at DATETIME NOT NULL,
	PRIMARY KEY (repository, number, "key")
);
CREATE TABLE summaries (
	repository BIGINT NOT NULL,
	summary TEXT NOT NULL,
	PRIMARY KEY (repository)
);
CREATE TABLE telegram_chats (
	repository BIGINT NOT NULL,
	chat BIGINT NOT NULL,
	PRIMARY KEY (repository)
);
CREATE TABLE telegram_messages (
	repository BIGINT NOT NULL,
	question VARCHAR(12) NOT NULL,
	chat BIGINT NOT NULL,
	message BIGINT,
	shows VARCHAR(64) NOT NULL,
	attempt INTEGER NOT NULL,
	again_at DATETIME,
	at DATETIME NOT NULL,
	PRIMARY KEY (repository, question)
);
CREATE TABLE unlisted_reviews (
	repository BIGINT NOT NULL,
	review BIGINT NOT NULL,
	login VARCHAR(100) NOT NULL,
	at DATETIME NOT NULL,
	PRIMARY KEY (repository, review)
);
CREATE TABLE wants (
	repository BIGINT NOT NULL,
	subject VARCHAR(100) NOT NULL,
	version INTEGER NOT NULL,
	since DATETIME NOT NULL,
	write_at DATETIME NOT NULL,
	wanted TEXT NOT NULL,
	PRIMARY KEY (repository, subject)
);
CREATE TABLE writes (
	repository BIGINT NOT NULL,
	number INTEGER NOT NULL,
	attempt INTEGER NOT NULL,
	not_before DATETIME,
	paused_until DATETIME,
	handed_at DATETIME,
	reason TEXT,
	PRIMARY KEY (repository)
);
CREATE INDEX inbox_by_status ON inbox (status, next_try_at);
CREATE INDEX ix_note_wants_repository ON note_wants (repository);
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('inbox',2);
COMMIT;
