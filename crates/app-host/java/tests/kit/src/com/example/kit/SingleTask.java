package com.example.kit;

public class SingleTask extends MainActivity {}
