BEGIN TRANSACTION;
CREATE TABLE account (
	id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	"key" VARCHAR(400) NOT NULL, 
	password VARCHAR(300) NOT NULL, 
	administrator BOOLEAN NOT NULL, 
	active BOOLEAN NOT NULL, 
	created INTEGER NOT NULL, 
	CONSTRAINT pk_account PRIMARY KEY (id), 
	CONSTRAINT uq_account_key UNIQUE ("key")
);
INSERT INTO "account" VALUES(1,'Lea','lea','$argon2id$v=19$m=64,t=1,p=1$gAmvcZ3fJS9C+2l3/J1KbA$MgL1N2BOIQfAIRZ1YCxUa2BgOitPciXK0nVZ3D717YE',1,1,1794871146549);
INSERT INTO "account" VALUES(2,'Ann','ann','$argon2id$v=19$m=64,t=1,p=1$oo36l7y7iTzqnu0NBm7Ieg$mszf8kMbkDwzRL5Ghw+xJI+zN9lPHfvym7kXejws0Bo',0,1,1794871146660);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
INSERT INTO "alembic_version" VALUES('0001');
CREATE TABLE annotation (
	assignment_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	state JSON NOT NULL, 
	CONSTRAINT pk_annotation PRIMARY KEY (assignment_id), 
	CONSTRAINT fk_annotation_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id)
);
INSERT INTO "annotation" VALUES(1,3,'{"source": ["b", "c"], "target": ["d"], "links": [[0, 0, "sure", "machine", 1.0], [1, 0, "sure", "human", 1.0]], "nulls": [], "choices": [], "open": [], "comment": "", "missing": [], "number": 3, "undo": true, "redo": false, "done": true}');
CREATE TABLE api_key (
	id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	label VARCHAR(200) NOT NULL, 
	prefix VARCHAR(20) NOT NULL, 
	secret VARCHAR(64) NOT NULL, 
	created INTEGER NOT NULL, 
	used INTEGER, 
	revoked INTEGER, 
	CONSTRAINT pk_api_key PRIMARY KEY (id), 
	CONSTRAINT fk_api_key_account_id FOREIGN KEY(account_id) REFERENCES account (id), 
	CONSTRAINT uq_api_key_secret UNIQUE (secret)
);
CREATE TABLE assignment (
	id INTEGER NOT NULL, 
	item_id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	part VARCHAR(20) NOT NULL, 
	round INTEGER NOT NULL, 
	position INTEGER NOT NULL, 
	done INTEGER, 
	CONSTRAINT pk_assignment PRIMARY KEY (id), 
	CONSTRAINT ck_assignment_part CHECK (part IN ('annotator', 'adjudicator')), 
	CONSTRAINT ck_assignment_round CHECK (round IN (1, 2)), 
	CONSTRAINT fk_assignment_account_id FOREIGN KEY(account_id) REFERENCES account (id), 
	CONSTRAINT fk_assignment_item_id FOREIGN KEY(item_id) REFERENCES item (id), 
	CONSTRAINT uq_assignment_item_id_account_id_part_round UNIQUE (item_id, account_id, part, round)
);
INSERT INTO "assignment" VALUES(1,1,2,'annotator',1,1,1794871146782);
CREATE TABLE event (
	id INTEGER NOT NULL, 
	assignment_id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	"key" VARCHAR(64) NOT NULL, 
	kind VARCHAR(20) NOT NULL, 
	content JSON NOT NULL, 
	time INTEGER NOT NULL, 
	CONSTRAINT pk_event PRIMARY KEY (id), 
	CONSTRAINT fk_event_account_id FOREIGN KEY(account_id) REFERENCES account (id), 
	CONSTRAINT fk_event_assignment_id FOREIGN KEY(assignment_id) REFERENCES assignment (id), 
	CONSTRAINT uq_event_assignment_id_key UNIQUE (assignment_id, "key"), 
	CONSTRAINT uq_event_assignment_id_number UNIQUE (assignment_id, number)
);
INSERT INTO "event" VALUES(1,1,2,1,'start','start','{"source": ["b", "c"], "target": ["d"], "links": [[0, 0, "sure", "machine", 1.0], [1, 0, "possible", "machine", 1.0]]}',1794871146761);
INSERT INTO "event" VALUES(2,1,2,2,'k0','link','{"cells": [[1, 0]], "label": "sure"}',1794871146761);
INSERT INTO "event" VALUES(3,1,2,3,'k1','done','{}',1794871146781);
CREATE TABLE invitation (
	id INTEGER NOT NULL, 
	project_id INTEGER, 
	role VARCHAR(20) NOT NULL, 
	note VARCHAR(200) NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	created INTEGER NOT NULL, 
	expires INTEGER NOT NULL, 
	account_id INTEGER, 
	CONSTRAINT pk_invitation PRIMARY KEY (id), 
	CONSTRAINT ck_invitation_role CHECK (role IN ('lead', 'annotator', 'adjudicator')), 
	CONSTRAINT fk_invitation_account_id FOREIGN KEY(account_id) REFERENCES account (id), 
	CONSTRAINT fk_invitation_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_invitation_token UNIQUE (token)
);
CREATE TABLE item (
	id INTEGER NOT NULL, 
	project_id INTEGER NOT NULL, 
	number INTEGER NOT NULL, 
	name VARCHAR(500) NOT NULL, 
	content JSON NOT NULL, 
	gold JSON, 
	CONSTRAINT pk_item PRIMARY KEY (id), 
	CONSTRAINT fk_item_project_id FOREIGN KEY(project_id) REFERENCES project (id), 
	CONSTRAINT uq_item_project_id_name UNIQUE (project_id, name), 
	CONSTRAINT uq_item_project_id_number UNIQUE (project_id, number)
);
INSERT INTO "item" VALUES(1,1,1,'a','{"source": ["b", "c"], "target": ["d"], "links": [[0, 0, "sure", "machine", 1.0], [1, 0, "possible", "machine", 1.0]]}',NULL);
CREATE TABLE member (
	project_id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	role VARCHAR(20) NOT NULL, 
	active BOOLEAN NOT NULL, 
	CONSTRAINT pk_member PRIMARY KEY (project_id, account_id), 
	CONSTRAINT ck_member_role CHECK (role IN ('lead', 'annotator', 'adjudicator')), 
	CONSTRAINT fk_member_account_id FOREIGN KEY(account_id) REFERENCES account (id), 
	CONSTRAINT fk_member_project_id FOREIGN KEY(project_id) REFERENCES project (id)
);
INSERT INTO "member" VALUES(1,1,'lead',1);
INSERT INTO "member" VALUES(1,2,'annotator',1);
CREATE TABLE project (
	id INTEGER NOT NULL, 
	title VARCHAR(200) NOT NULL, 
	kind VARCHAR(20) NOT NULL, 
	settings JSON NOT NULL, 
	created INTEGER NOT NULL, 
	archived INTEGER, 
	CONSTRAINT pk_project PRIMARY KEY (id), 
	CONSTRAINT ck_project_kind CHECK (kind IN ('align', 'judge'))
);
INSERT INTO "project" VALUES(1,'Pairs','align','{"people": 2, "overlap": 1.0, "repeats": 0.0, "blind": false, "guideline": ""}',1794871146648,NULL);
CREATE TABLE session (
	id INTEGER NOT NULL, 
	account_id INTEGER NOT NULL, 
	token VARCHAR(64) NOT NULL, 
	created INTEGER NOT NULL, 
	seen INTEGER NOT NULL, 
	revoked INTEGER, 
	CONSTRAINT pk_session PRIMARY KEY (id), 
	CONSTRAINT fk_session_account_id FOREIGN KEY(account_id) REFERENCES account (id), 
	CONSTRAINT uq_session_token UNIQUE (token)
);
INSERT INTO "session" VALUES(1,1,'960a6ad490d17a859f854d8568e0611b6ca2386d6dabed843c8a77c7530c9819',1794871146552,1794871146552,NULL);
INSERT INTO "session" VALUES(2,2,'ecbe2fca0600ba40a16e8076437547ab79e20d837b57ce1af637d81a905da814',1794871146723,1794871146723,NULL);
CREATE INDEX ix_api_key_account_id ON api_key (account_id);
CREATE INDEX ix_invitation_project_id ON invitation (project_id);
CREATE INDEX ix_member_account_id ON member (account_id);
CREATE INDEX ix_session_account_id ON session (account_id);
CREATE INDEX ix_assignment_account_id_done ON assignment (account_id, done);
COMMIT;
